import * as vscode from 'vscode';

type Dialogs = { readonly [name in keyof typeof vscode.window]?: (...args: never[]) => unknown };

/**
 * Replaces functions of `vscode.window`, also again those that were replaced before.
 * @returns Restores those that it replaced.
 */
export function replaceDialogs(dialogs: Dialogs): () => void {
  const names = Object.keys(dialogs) as (keyof Dialogs)[];
  const own = Object.fromEntries(names.map((name) => [name, vscode.window[name]]));
  Object.assign(vscode.window, dialogs);
  return () => void Object.assign(vscode.window, own);
}
