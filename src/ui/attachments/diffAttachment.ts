import { MAX_EMBEDDED } from '../../shared/state/attachments';

interface ChangesText {
  readonly text: string;
  /** Names of files whose changes are missing or truncated. */
  readonly left: readonly string[];
}

/** First line of a file's changes. */
const FILE = /^diff --git a\/.* b\/(.*)$/gmu;
const MAX_NAMES = 100;

/**
 * Cuts a diff at a line end to the attachment limit; the last line names what was omitted. Pure.
 * @param unread names of changed files that were not read for lack of room
 */
export function changesText(diff: string, unread: readonly string[] = [], most = MAX_EMBEDDED): ChangesText {
  if (diff.length <= most && unread.length === 0) return { text: diff, left: [] };
  const isFitting = diff.length <= most;
  const included = isFitting ? diff : diff.slice(0, diff.lastIndexOf('\n', most) + 1 || most);
  const omitted = [...(isFitting ? [] : namesFrom(diff, included.length)), ...unread];
  const named = omitted.slice(0, MAX_NAMES).join(', ');
  const more = omitted.length > MAX_NAMES ? ` and ${omitted.length - MAX_NAMES} more files` : '';
  return {
    text: `${included}\n[Too long for one message. Left out, in whole or from here on: ${named}${more}]`,
    left: omitted,
  };
}

/** The file in which the text is cut, and those after it. */
function namesFrom(diff: string, cut: number): string[] {
  const files = Array.from(diff.matchAll(FILE), ({ index, 1: name = '' }) => ({ index, name }));
  const first = files.findLastIndex(({ index }) => index < cut);
  const within = files[first + 1]?.index === cut ? first + 1 : Math.max(first, 0);
  return files.slice(within).map(({ name }) => name);
}
