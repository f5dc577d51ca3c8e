import type { Hunk } from '../reviewTypes';

/** The texts of an edit as the agent told it, whole files or snippets. */
export interface EditTexts {
  readonly oldText: string;
  readonly newText: string;
}

/** The lines of a reviewed file, before the agent and now. */
export interface FileLines {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * The hunks of a file that an edit shown in the chat has a part in: those that add or take away a line that the edit adds or takes
 * away. Agents tell whole files as well as a few lines without their place, so that the text of the lines is all there is to go by.
 */
export function hunksOfEdit(edit: EditTexts, hunks: readonly Hunk[], lines: FileLines): readonly Hunk[] {
  const [old, fresh] = [normalizedLines(edit.oldText), normalizedLines(edit.newText)];
  const added = without(fresh, old);
  const removed = without(old, fresh);
  return hunks.filter(({ before, after }) => {
    const now = lines.after.slice(after.start, after.start + after.lines);
    const was = lines.before.slice(before.start, before.start + before.lines);
    return now.some((line) => added.has(line.trim())) || was.some((line) => removed.has(line.trim()));
  });
}

/** Lines as they are compared: without the spaces around them, which a snippet may lack. */
export function normalizedLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Lines with something in them that `others` has not. */
function without(lines: readonly string[], others: readonly string[]): ReadonlySet<string> {
  const known = new Set(others.map((line) => line.trim()));
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== '' && !known.has(line)));
}
