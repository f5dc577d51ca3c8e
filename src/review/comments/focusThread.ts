import * as vscode from 'vscode';
import { settlesWithin } from '../../base/async';
import { DisposableStore } from '../../base/lifecycle';
import type { CommentLines } from './commentLines';

/** The documents of VS Code's boxes for comments. */
const BOX_SCHEME = 'comment';
const SHOWN_WITHIN_MS = 3000;

/**
 * Settles when VS Code shows the box of a thread.
 * @param create creates the thread
 */
export async function showThread(create: () => void): Promise<void> {
  const store = new DisposableStore();
  const shown = new Promise<void>((resolve) => {
    store.add(
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        if (uri.scheme === BOX_SCHEME) resolve();
      }),
    );
  });
  create();
  await settlesWithin(shown, SHOWN_WITHIN_MS);
  store.dispose();
}

/** Puts the cursor into the box of a thread in the active editor. The stable API has no call for this; VS Code has commands. */
export async function focusThread(uri: vscode.Uri, { last }: CommentLines): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.toString() !== uri.toString()) return;
  const { end } = editor.document.lineAt(Math.min(last, editor.document.lineCount - 1)).range;
  // The first command looks for a thread at the end of the selection.
  if (editor.selection.end.line !== end.line) editor.selection = new vscode.Selection(end, end);
  await vscode.commands.executeCommand('workbench.action.focusCommentOnCurrentLine');
  await vscode.commands.executeCommand('widgetNavigation.focusNext');
}
