import { createHash } from 'node:crypto';
import type * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';
import { canonicalJson } from '../../../base/json';
import { labelOf } from './workspaceFile';

/** More places, or more UTF-16 units of new text, than a user would read. */
const MAX_PLACES = 500;
const MAX_CHARS = 100_000;

/** The places and new texts of an edit, for the question about it; of a larger edit the first ones, with a hash of all. */
export function shownEdits(edit: vscode.WorkspaceEdit): readonly JsonObject[] {
  const all = edit.entries().map(([uri, edits]) => ({
    path: labelOf(uri),
    edits: edits.map(({ range, newText }) => ({ lines: [range.start.line + 1, range.end.line + 1], text: newText })),
  }));
  let [places, chars, omitted] = [0, 0, 0];
  const shown = all.map(({ path, edits }) => {
    const few = edits.filter(({ text }) => ++places <= MAX_PLACES && (chars += text.length) <= MAX_CHARS);
    omitted += edits.length - few.length;
    return { path, edits: few };
  });
  if (omitted === 0) return shown;
  // Another edit with the same first places needs another answer. Columns count, too.
  const sha256 = createHash('sha256').update(
    canonicalJson(edit.entries().map(([uri, edits]) => [uri.toString(), edits])),
  );
  return [...shown.filter(({ edits }) => edits.length > 0), { omitted, sha256: sha256.digest('hex') }];
}
