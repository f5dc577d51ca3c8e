import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import { MAX_PROMPT_FILE } from '../../session/promptFiles/promptFile';
import type { Logger } from '../../base/logger';
import type { PromptFileSource } from '../../session/promptFiles/promptFileStore';
import { PromptFileStore } from '../../session/promptFiles/promptFileStore';

/** Where prompt files lie in a workspace folder; of two files of one name that of the first place counts. */
const PLACES = [
  { folder: '.parley/prompts', ends: '.md' },
  { folder: '.github/prompts', ends: '.prompt.md' },
] as const;

/**
 * The prompt files of the workspace. In Restricted Mode there are none: what a prompt file says becomes an instruction to an agent,
 * so the user has to trust whoever wrote it.
 */
export class PromptFiles implements PromptFileSource, Disposable {
  readonly #store = new DisposableStore();
  readonly #watchers = this.#store.add(new MutableDisposable<DisposableStore>());
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor() {
    this.#watch();
    const again = (): void => {
      this.#watch();
      this.#changed.fire();
    };
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(again));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(again));
  }

  async list(): Promise<readonly string[]> {
    if (!vscode.workspace.isTrusted) return [];
    const found = await Promise.all(
      places().map(async ({ uri, ends }) => {
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

  async read(path: string): Promise<string> {
    const uri = vscode.Uri.file(path);
    // A file that is too large is not read to find that out.
    if ((await vscode.workspace.fs.stat(uri)).size > 4 * MAX_PROMPT_FILE) return ' '.repeat(MAX_PROMPT_FILE + 1);
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
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
    // The folders above, too: of a tree that comes or goes at once only its top is told.
    const parts = PLACES.flatMap(({ folder, ends }) => [folder.split('/')[0], folder, `${folder}/*${ends}`]);
    for (const root of roots()) {
      const pattern = new vscode.RelativePattern(root, `{${parts.join(',')}}`);
      const watcher = watchers.add(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        watchers.add(event(() => this.#changed.fire()));
    }
  }
}

/** The user's prompt files, read and watched until `store` is disposed. */
export function mountPrompts(store: DisposableStore, log: Logger): PromptFileStore {
  return store.add(new PromptFileStore(store.add(new PromptFiles()), log));
}

function roots(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

function places(): { readonly uri: vscode.Uri; readonly ends: string }[] {
  return roots().flatMap(({ uri }) =>
    PLACES.map(({ folder, ends }) => ({ ends, uri: vscode.Uri.joinPath(uri, folder) })),
  );
}
