import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';

/** Texts that are too long for a dialog, shown in a read-only editor. */
export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #scheme: string;
  readonly #registration: Disposable;
  /** By URI; removed when the document is closed. */
  readonly #texts = new Map<string, string>();
  readonly #closed: Disposable;
  #count = 0;

  /** @param scheme of the URIs; must be unique per instance */
  constructor(scheme = 'parley-text') {
    this.#scheme = scheme;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
    this.#closed = vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString()));
  }

  /** @param title name of the editor's tab */
  async show(title: string, text: string): Promise<void> {
    const path = `/${title.replaceAll(/[\\/]/g, ' ')}`;
    // Numbered, because VS Code caches the content of a URI.
    const uri = vscode.Uri.from({ scheme: this.#scheme, path, query: String(++this.#count) });
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
