import * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { PromptFileSource } from '../../session/promptFiles/promptFileStore';
import { PromptFileStore } from '../../session/promptFiles/promptFileStore';
import { isRealInWorkspace, readRealFile, realUri } from '../../workbench/workspaceFiles';
import { localWorkspaceFolders } from '../../workbench/workspaceFolders';

/** Locations of prompt files in a workspace folder; the first wins for duplicate names. */
const PLACES = [
  { folder: '.parley/prompts', ends: '.md' },
  { folder: '.github/prompts', ends: '.prompt.md' },
] as const;

/**
 * The prompt files of the workspace. None in Restricted Mode: a prompt file becomes an instruction to an agent, so the user must trust its
 * author.
 */
export class PromptFiles implements PromptFileSource, Disposable {
  readonly #store = new DisposableStore();
  readonly #watchers = this.#store.add(new MutableDisposable<DisposableStore>());
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor() {
    this.#watch();
    const again = (): void => {
      this.#watch();
      this.#onDidChange.fire();
    };
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(again));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(again));
  }

  async list(): Promise<readonly string[]> {
    if (!vscode.workspace.isTrusted) return [];
    const found = await Promise.all(
      promptFolders().map(async ({ uri, ends }) => {
        // Most workspaces have no such folder.
        const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(uri)).catch(() => []);
        const names = entries.flatMap(([name, type]) =>
          type & vscode.FileType.File && name.endsWith(ends) ? [name] : [],
        );
        return names.toSorted().map((name) => vscode.Uri.joinPath(uri, name).fsPath);
      }),
    );
    return found.flat();
  }

  /** @throws ParleyError for what is no regular file, too large, or a link out of the workspace: its text would be sent */
  async read(path: string): Promise<string> {
    const { MAX_PROMPT_FILE } = await import('../../session/promptFiles/promptFile');
    const uri = vscode.Uri.file(path);
    const real = realUri(uri);
    if (!isRealInWorkspace(uri, real)) {
      const target = escapeInvisibleInline(real.fsPath);
      throw new ParleyError('outsideWorkspace', t('it is a link to {0}, outside the workspace', target));
    }
    // UTF-8 has at most four bytes a character.
    return new TextDecoder().decode(await readRealFile(real, 4 * MAX_PROMPT_FILE));
  }

  label(path: string): string {
    return vscode.workspace.asRelativePath(path);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #watch(): void {
    const watchers = new DisposableStore();
    this.#watchers.value = watchers;
    // Also watches parent folders: creating or deleting a tree is reported for its top only.
    const parts = PLACES.flatMap(({ folder, ends }) => [folder.split('/')[0], folder, `${folder}/*${ends}`]);
    for (const root of localWorkspaceFolders()) {
      const pattern = new vscode.RelativePattern(root, `{${parts.join(',')}}`);
      const watcher = watchers.add(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        watchers.add(event(() => this.#onDidChange.fire()));
    }
  }
}

/** Reads and watches the user's prompt files until `store` is disposed. */
export function openPromptFiles(store: DisposableStore, log: Logger): PromptFileStore {
  return store.add(new PromptFileStore(store.add(new PromptFiles()), log));
}

function promptFolders(): { readonly uri: vscode.Uri; readonly ends: string }[] {
  return localWorkspaceFolders().flatMap(({ uri }) =>
    PLACES.map(({ folder, ends }) => ({ ends, uri: vscode.Uri.joinPath(uri, folder) })),
  );
}
