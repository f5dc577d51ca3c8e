import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';

const SCHEME = 'parley-text';

/** Texts that are too long for a dialog, shown in an editor that nobody can type into. */
export class PlainDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #registration: Disposable;
  /** By address; gone when the document is closed. */
  readonly #texts = new Map<string, string>();
  readonly #closed: Disposable;
  #count = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
    this.#closed = vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString()));
  }

  /** @param title name of the editor's tab */
  async show(title: string, text: string): Promise<void> {
    const path = `/${title.replaceAll(/[\\/]/g, ' ')}`;
    // Numbered: VS Code keeps the content of an address that it knows.
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: String(++this.#count) });
    this.#texts.set(uri.toString(), text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#registration.dispose();
    this.#closed.dispose();
  }
}
