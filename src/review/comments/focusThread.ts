import * as vscode from 'vscode';
import { settlesWithin } from '../../base/async';
import { DisposableStore } from '../../base/lifecycle';
import type { CommentLines } from './commentLines';

/** URI scheme of VS Code's comment input boxes. */
const BOX_SCHEME = 'comment';
/** Milliseconds for VS Code to show the input box: a window that has just opened is slow. */
const SHOWN_WITHIN_MS = 15_000;

/**
 * Settles when VS Code shows the input box of a thread.
 * @param create creates the thread
 * @returns false when it did not in time
 */
export async function showThread(create: () => void): Promise<boolean> {
  const store = new DisposableStore();
  const shown = new Promise<void>((resolve) => {
    store.add(
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        if (uri.scheme === BOX_SCHEME) resolve();
      }),
    );
  });
  create();
  const isShown = await settlesWithin(shown, SHOWN_WITHIN_MS);
  store.dispose();
  return isShown;
}

/**
 * Puts the cursor into the input box of a thread in the active editor. The API has no function for this, so VS Code's commands are used.
 */
export async function focusThread(uri: vscode.Uri, { last }: CommentLines): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.toString() !== uri.toString()) return;
  const { end } = editor.document.lineAt(Math.min(last, editor.document.lineCount - 1)).range;
  // `focusCommentOnCurrentLine` finds the thread by the end of the selection.
  if (editor.selection.end.line !== end.line) editor.selection = new vscode.Selection(end, end);
  await vscode.commands.executeCommand('workbench.action.focusCommentOnCurrentLine');
  await vscode.commands.executeCommand('widgetNavigation.focusNext');
}
