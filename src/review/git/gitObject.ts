import { createHash } from 'node:crypto';
import { bytesOf } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';

/** Whether git would store the content under this id (none: no file), unchanged or with converted line ends (core.autocrlf). */
export function isGitObject(object: string | undefined, content: FileContent | undefined, format: string): boolean {
  if (!content || object === undefined) return content === undefined && object === undefined;
  return objectIds(content, format).includes(object);
}

/** The ids under which git would store the content, unchanged and with converted line ends. */
export function objectIds(content: FileContent, format: string): readonly string[] {
  const converted = Buffer.from(content.bytes.replaceAll('\r\n', '\n'), 'latin1');
  return [bytesOf(content), converted].map((data) =>
    createHash(format).update(`blob ${data.length}\0`).update(data).digest('hex'),
  );
}
