import * as vscode from 'vscode';
import type { Disposable } from '../../../base/lifecycle';
import { Emitter } from '../../../base/event';
import { toDisposable } from '../../../base/lifecycle';

/** Scheme of proposed texts: files in memory, which the user can edit before accepting them. */
export const PROPOSED_SCHEME = 'parley-proposed';

interface Proposal {
  bytes: Uint8Array;
  mtime: number;
}

export class ProposedFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #files = new Map<string, Proposal>();
  readonly #changed = new Emitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;

  readonly onDidChangeFile = this.#changed.event;

  constructor() {
    this.#registration = vscode.workspace.registerFileSystemProvider(PROPOSED_SCHEME, this, { isCaseSensitive: true });
  }

  /**
   * Adds a text under a file's name.
   * @returns its URI, valid until {@link remove}
   */
  add(id: string, path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: PROPOSED_SCHEME, authority: id, path: vscode.Uri.file(path).path });
    this.writeFile(uri, new TextEncoder().encode(text));
    return uri;
  }

  remove(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
    this.#changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#get(uri);
    return { type: vscode.FileType.File, ctime: mtime, mtime, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#get(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const mtime = (this.#files.get(uri.toString())?.mtime ?? Date.now()) + 1;
    this.#files.set(uri.toString(), { bytes, mtime });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  /** Nothing else changes these files. */
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
    this.#registration.dispose();
    this.#files.clear();
    this.#changed.dispose();
  }

  #get(uri: vscode.Uri): Proposal {
    const file = this.#files.get(uri.toString());
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
