import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import { escapeMarkdownLinks } from '../../../base/untrustedText';

const SCHEME = 'parley-data';

/** File extensions by MIME type; other types use their subtype. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
};

/** Read-only in-memory files for embedded media, since VS Code's editors need a file. */
export class EmbeddedDataFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #store = new DisposableStore();
  /** By path; removed when the last editor closes. */
  readonly #files = new Map<string, Uint8Array>();
  readonly #changed = this.#store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.#changed.event;

  constructor() {
    this.#store.add(vscode.workspace.registerFileSystemProvider(SCHEME, this, { isReadonly: true }));
    this.#store.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) if (input instanceof vscode.TabInputCustom) this.#files.delete(input.uri.path);
      }),
    );
  }

  /** @param data base64 */
  async open(data: string, mimeType: string): Promise<void> {
    const bytes = Buffer.from(data, 'base64');
    const path = `/${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}/${fileName(mimeType)}`;
    this.#files.set(path, bytes);
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.from({ scheme: SCHEME, path }));
  }

  async save(data: string, mimeType: string, folder: string | undefined): Promise<void> {
    const name = fileName(mimeType);
    const defaultUri = folder === undefined ? undefined : vscode.Uri.joinPath(vscode.Uri.file(folder), name);
    const target = await vscode.window.showSaveDialog(defaultUri ? { defaultUri } : {});
    if (!target) return;
    try {
      await vscode.workspace.fs.writeFile(target, Buffer.from(data, 'base64'));
      await vscode.commands.executeCommand('vscode.open', target);
    } catch (error) {
      void vscode.window.showErrorMessage(
        escapeMarkdownLinks(t('{0} could not be saved: {1}', name, errorMessage(error))),
      );
    }
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const bytes = this.#files.get(uri.path);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  watch(): Disposable {
    return { dispose: () => undefined };
  }

  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  writeFile(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function fileName(mimeType: string): string {
  const [type = '', subtype = ''] = mimeType.toLowerCase().split(/[/;+]/);
  const extension = EXTENSIONS[mimeType.toLowerCase()] ?? (/^[a-z0-9-]{1,10}$/.test(subtype) ? subtype : 'bin');
  return `${/^[a-z]+$/.test(type) ? type : 'data'}.${extension}`;
}
