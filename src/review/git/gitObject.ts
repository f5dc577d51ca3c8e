import { createHash } from 'node:crypto';
import { bytesOf } from '../tracking/fileContent';
import type { FileContent } from '../tracking/fileContent';

/** Whether git would store the content under this id (none: no file), unchanged or with converted line ends (core.autocrlf). */
export function isObject(object: string | undefined, content: FileContent | undefined, format: string): boolean {
  if (!content || object === undefined) return content === undefined && object === undefined;
  const bytes = bytesOf(content);
  const converted = Buffer.from(content.bytes.replaceAll('\r\n', '\n'), 'latin1');
  return [bytes, converted].some((data) => {
    return createHash(format).update(`blob ${data.length}\0`).update(data).digest('hex') === object;
  });
}
