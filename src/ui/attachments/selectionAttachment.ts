import * as vscode from 'vscode';
import type { Attachment, LineRange } from '../../shared/state/attachments';

/** For display: `src/app.ts:3-10`. */
export function linesLabel(uri: vscode.Uri, { first, last }: LineRange): string {
  return `${vscode.workspace.asRelativePath(uri)}:${first === last ? first : `${first}-${last}`}`;
}

export function selectedLines({ document, selection }: vscode.TextEditor): Extract<Attachment, { kind: 'lines' }> {
  const { start, end } = selection;
  // A selection that ends at the start of a line does not include that line.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const lines = { first: start.line + 1, last };
  return { kind: 'lines', uri: document.uri.toString(), label: linesLabel(document.uri, lines), lines };
}
