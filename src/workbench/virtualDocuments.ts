import * as vscode from 'vscode';
import { Emitter } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, toDisposable } from '../base/lifecycle';

/**
 * Read-only texts under their own scheme. No files: VS Code would decode files as `files.encoding` says, and hide long or binary
 * ones.
 */
export class ReadOnlyDocuments implements Disposable {
  readonly #store = new DisposableStore();
  /** By URI; removed when the document is closed. */
  readonly #texts = new Map<string, string>();
  #count = 0;

  /**
   * @param scheme of the URIs; must be unique per instance
   * @param read content of URIs that {@link add} did not return
   */
  constructor(
    private readonly scheme: string,
    read: (uri: vscode.Uri) => string | undefined = () => undefined,
  ) {
    const provideTextDocumentContent = (uri: vscode.Uri): string | undefined =>
      this.#texts.get(uri.toString()) ?? read(uri);
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())));
  }

  /** @param path decides name and language of the document */
  add(path: string, text: string): vscode.Uri {
    // Numbered, because VS Code caches the content of a URI.
    const uri = vscode.Uri.from({ scheme: this.scheme, path, query: String(++this.#count) });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  remove(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  /** @param title name of the editor's tab */
  async show(title: string, text: string): Promise<void> {
    const uri = this.add(`/${title.replaceAll(/[\\/]/g, ' ')}`, text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** Files in memory under their own scheme, for editors that need files; users may edit and save them unless they are read-only. */
export class VirtualFiles implements vscode.FileSystemProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChangeFile = this.#store.add(new Emitter<vscode.FileChangeEvent[]>());
  readonly #files = new Map<string, Uint8Array>();
  /** Milliseconds since 1970 by URI; a change without a new time goes unnoticed. */
  readonly #times = new Map<string, number>();
  readonly #start = Date.now();

  readonly onDidChangeFile = this.#onDidChangeFile.event;

  /** @param read content of files that were not written */
  constructor(
    scheme: string,
    options: NonNullable<Parameters<typeof vscode.workspace.registerFileSystemProvider>[2]>,
    private readonly read?: (uri: vscode.Uri) => Promise<Uint8Array>,
  ) {
    this.#store.add(vscode.workspace.registerFileSystemProvider(scheme, this, options));
  }

  remove(uri: vscode.Uri): void {
    if (this.#files.delete(uri.toString())) this.#onDidChangeFile.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  /** Makes VS Code read these files again. */
  refresh(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) this.#times.set(uri.toString(), this.#timeOf(uri) + 1);
    this.#onDidChangeFile.fire(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.#files.set(uri.toString(), bytes);
    this.refresh([uri]);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { byteLength: size } = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: this.#start, mtime: this.#timeOf(uri), size };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const bytes = this.#files.get(uri.toString()) ?? (await this.read?.(uri));
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  /** Each change is announced anyway. */
  watch(): Disposable {
    return toDisposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #timeOf(uri: vscode.Uri): number {
    return this.#times.get(uri.toString()) ?? this.#start;
  }
}

/** Closes the diff editors whose right side is one of these. */
export async function closeDiffs(modified: readonly vscode.Uri[]): Promise<void> {
  const names = new Set(modified.map(String));
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff && names.has(input.modified.toString()));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
