import type { Hunk } from '../tracking/fileAttribution';

/** Texts of an edit as the agent reported it, whole files or snippets. */
export interface EditTexts {
  readonly oldText: string;
  readonly newText: string;
}

export interface FileLines {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * The hunks that share an added or removed line with an edit in the chat. Agents report whole files or a few lines without position, so
 * only the lines' text can be compared.
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

/** Without leading and trailing spaces, which snippets may lack. */
export function normalizedLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Non-blank lines that `others` lacks. */
function without(lines: readonly string[], others: readonly string[]): ReadonlySet<string> {
  const known = new Set(others.map((line) => line.trim()));
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== '' && !known.has(line)));
}
