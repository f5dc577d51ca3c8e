import * as vscode from 'vscode';
import type { Disposable } from '../../../base/lifecycle';

const SCHEME = 'parley-proposal';

/** Diff of a file and a change that the user has not accepted yet. */
export class Proposals implements vscode.TextDocumentContentProvider, Disposable {
  readonly #registration: Disposable;
  readonly #texts = new Map<string, string>();
  #count = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** @param exists false: there is no file to compare with */
  async show(uri: vscode.Uri, after: string, title: string, exists: boolean): Promise<{ close(): Promise<void> }> {
    const address = (side: string): vscode.Uri =>
      uri.with({ scheme: SCHEME, authority: '', query: `${side}${++this.#count}` });
    const [empty, proposed] = [address('empty'), address('proposed')];
    this.#texts.set(empty.toString(), '');
    this.#texts.set(proposed.toString(), after);
    await vscode.commands.executeCommand('vscode.diff', exists ? uri : empty, proposed, title, { preview: true });
    return { close: () => this.#close([empty, proposed]) };
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #close(addresses: readonly vscode.Uri[]): Promise<void> {
    const names = new Set(addresses.map(String));
    for (const name of names) this.#texts.delete(name);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const shown = tabs.filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff && names.has(input.modified.toString()),
    );
    if (shown.length > 0) await vscode.window.tabGroups.close(shown, true);
  }
}
