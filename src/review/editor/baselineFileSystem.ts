import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Review } from '../reviewTypes';

/** Scheme of files as they were before the agent changed them. */
export const BASE_SCHEME = 'parley-base';

/**
 * The address of a file as it was.
 * @param path absolute; the language and the editor for it are found by its ending
 */
export function baseUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: BASE_SCHEME });
}

/** The address of a file that is not there, for the other side of a deleted one. */
export function noUri(path: string): vscode.Uri {
  return baseUri(path).with({ query: 'deleted' });
}

/** The file that an editor shows, as it is or as it was; undefined for anything else. */
export function reviewedPath(uri: vscode.Uri): string | undefined {
  if (uri.scheme === 'file') return uri.fsPath;
  return uri.scheme === BASE_SCHEME ? uri.with({ scheme: 'file', query: '' }).fsPath : undefined;
}

/**
 * Files as they were before the agent changed them, for VS Code's diff editors: a read-only file system rather than text documents,
 * so that pictures can be compared too. Text is given in UTF-8, whatever encoding the user opened the file in.
 */
export class BaselineFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #review: Review;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<vscode.FileChangeEvent[]>());
  /** Files that VS Code shows, with what it was given. */
  readonly #given = new Map<string, { readonly uri: vscode.Uri; readonly bytes: Uint8Array | undefined }>();
  #changes = 1;

  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]> = (listener, self) =>
    this.#changed.event((events) => void listener.call(self, events));

  constructor(review: Review) {
    this.#review = review;
    this.#store.add(review.onDidChange(() => this.#refresh()));
    const options = {
      isReadonly: new vscode.MarkdownString(t('This is the file as it was before the agent changed it.')),
    };
    this.#store.add(vscode.workspace.registerFileSystemProvider(BASE_SCHEME, this, options));
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { byteLength: size } = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: this.#changes, size };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    if (uri.query !== '') return new Uint8Array();
    const path = reviewedPath(uri) ?? '';
    const bytes = this.#review.baseBytes(path);
    this.#given.set(uri.toString(), { uri, bytes });
    if (!bytes) return new Uint8Array();
    if (this.#review.file(path)?.binary !== false) return bytes;
    return new TextEncoder().encode(await decodeBase(path, bytes));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(): void {
    const changed = [...this.#given.values()].filter(({ uri, bytes }) => {
      return this.#review.baseBytes(reviewedPath(uri) ?? '') !== bytes;
    });
    if (changed.length === 0) return;
    this.#changes++;
    this.#changed.fire(changed.map(({ uri }) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  writeFile(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }
}

/** The text of a baseline, decoded as its file is: as it is open, else as VS Code would open it. */
export async function decodeBase(path: string, bytes: Uint8Array): Promise<string> {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path);
  if (open) return vscode.workspace.decode(bytes, { encoding: open.encoding });
  return vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
}
