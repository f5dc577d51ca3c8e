import assert from 'node:assert/strict';
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

/** Instead of `createQuickPick`: selects the rows with these labels, and accepts them when the list is shown. */
export function pickRows(...labels: readonly string[]): () => vscode.QuickPick<vscode.QuickPickItem> {
  const { createQuickPick } = vscode.window;
  return () => {
    const pick = createQuickPick();
    let accept: () => void = () => assert.fail('nothing listens');
    const onDidAccept = (listener: () => void): vscode.Disposable => {
      accept = listener;
      return new vscode.Disposable(() => undefined);
    };
    const show = (): void => {
      pick.selectedItems = pick.items.filter(({ label }) => labels.includes(label));
      accept();
    };
    return Object.defineProperties(pick, { onDidAccept: { value: onDidAccept }, show: { value: show } });
  };
}
