import type { FileContent } from '../storage/fileContent';
import { toByteString } from '../storage/fileContent';

/** The content before an edit that the agent has already made. Undefined when the edit is not found. */
export function contentBeforeDiff(
  content: FileContent | undefined,
  { oldText, newText }: { readonly oldText: string; readonly newText: string },
): { readonly content: FileContent | undefined } | undefined {
  if (!content) return undefined;
  const [before, after] = [oldText, newText].map((text) => toByteString(Buffer.from(text)));
  if (before === undefined || !after) return undefined;
  const at = content.bytes.indexOf(after);
  if (at < 0 || content.bytes.includes(after, at + 1)) return undefined;
  const bytes = content.bytes.slice(0, at) + before + content.bytes.slice(at + after.length);
  // A whole-file edit from nothing creates the file.
  return { content: bytes === '' ? undefined : { ...content, bytes } };
}
