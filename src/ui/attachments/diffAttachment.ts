import { MAX_EMBEDDED } from '../../shared/protocol/attachments';

/** Changes as an agent gets them. */
export interface ChangesText {
  readonly text: string;
  /** Names of the files whose changes are not in it, or not to their end. */
  readonly left: readonly string[];
}

/** The line that begins the changes of a file. */
const FILE = /^diff --git a\/.* b\/(.*)$/gmu;
/** Names that the agent is told. */
const MOST_NAMES = 100;

/**
 * As much of a diff as one attachment takes, cut at the end of a line; its last line tells the agent what was left out. Pure.
 * @param unread names of changed files that there was no room to read
 */
export function changesText(diff: string, unread: readonly string[] = [], most = MAX_EMBEDDED): ChangesText {
  if (diff.length <= most && unread.length === 0) return { text: diff, left: [] };
  const fits = diff.length <= most;
  const kept = fits ? diff : diff.slice(0, diff.lastIndexOf('\n', most) + 1 || most);
  const left = [...(fits ? [] : namesFrom(diff, kept.length)), ...unread];
  const named = left.slice(0, MOST_NAMES).join(', ');
  const more = left.length > MOST_NAMES ? ` and ${left.length - MOST_NAMES} more files` : '';
  return { text: `${kept}\n[Too long for one message. Left out, in whole or from here on: ${named}${more}]`, left };
}

/** The file that the text is cut in, and those after it. */
function namesFrom(diff: string, cut: number): string[] {
  const files = Array.from(diff.matchAll(FILE), ({ index, 1: name = '' }) => ({ index, name }));
  const first = files.findLastIndex(({ index }) => index < cut);
  const within = files[first + 1]?.index === cut ? first + 1 : Math.max(first, 0);
  return files.slice(within).map(({ name }) => name);
}
