import { sep } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { CommitWatcher } from '../git/commitWatcher';
import type { ModifiedFiles } from './modifiedFiles';
import type { ChangeTracker } from './changeTracker';
import type { AgentTurns } from './agentTurns';
import type { UserSave, UserSaves } from './userSaves';

/** Milliseconds without a change before an edited file is checked. */
const TYPING_PAUSE_MS = 150;
const DISK_DEBOUNCE_MS = 250;
/** The interval of workspace scans while an agent writes. */
const SCAN_INTERVAL_MS = 400;

/** Forwards editor and disk events to the tracker. */
export class WorkspaceWatcher implements Disposable {
  readonly #modifiedFiles: ModifiedFiles;
  readonly #tracker: ChangeTracker;
  readonly #turns: AgentTurns;
  readonly #commits: Pick<CommitWatcher, 'checkForCommit'>;
  readonly #store = new DisposableStore();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #saves: UserSaves;
  /** By folder. */
  readonly #worktrees = new Map<string, Disposable>();

  constructor(
    modifiedFiles: ModifiedFiles,
    tracker: ChangeTracker,
    turns: AgentTurns,
    commits: Pick<CommitWatcher, 'checkForCommit'>,
    saves: UserSaves,
  ) {
    this.#modifiedFiles = modifiedFiles;
    this.#tracker = tracker;
    this.#turns = turns;
    this.#commits = commits;
    this.#saves = saves;
    const { workspace } = vscode;
    this.#store.add(this.#watch('**/*'));
    this.#store.add(workspace.onDidChangeTextDocument((event) => this.#handleTyping(event)));
    this.#store.add(saves.onDidSave((save) => void this.#handleSave(save)));
    this.#store.add(workspace.onDidCloseTextDocument(({ uri }) => this.#handleFileChange(uri.fsPath)));
    this.#store.defer(() => {
      for (const timer of this.#timers.values()) clearTimeout(timer);
    });
  }

  /** Watches these folders outside the workspace, and no others. */
  watchWorktrees(folders: readonly string[]): void {
    for (const [folder, watcher] of this.#worktrees) {
      if (folders.includes(folder)) continue;
      watcher.dispose();
      this.#worktrees.delete(folder);
    }
    for (const folder of folders) {
      if (!this.#worktrees.has(folder))
        this.#worktrees.set(folder, this.#watch(new vscode.RelativePattern(vscode.Uri.file(folder), '**/*')));
    }
  }

  dispose(): void {
    this.watchWorktrees([]);
    this.#store.dispose();
  }

  #watch(files: vscode.GlobPattern): Disposable {
    const store = new DisposableStore();
    const watcher = store.add(vscode.workspace.createFileSystemWatcher(files));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete])
      store.add(event(({ scheme, fsPath }) => scheme === 'file' && this.#handleFileChange(fsPath)));
    return store;
  }

  #handleTyping({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { uri } = document;
    // A document becomes clean in a separate event without changes, after its text event.
    if (uri.scheme !== 'file' || (contentChanges.length === 0 && document.isDirty)) return;
    this.#soon(uri.fsPath, TYPING_PAUSE_MS, () => this.#refreshFile(uri.fsPath, document.isDirty));
  }

  async #handleSave(save: UserSave): Promise<void> {
    const { path } = save;
    if (this.#modifiedFiles.get(path)) await this.#tracker.refreshFile(path);
    else if (this.#turns.isWorking) await this.#tracker.trackFile(path);
    this.#saves.forget(save);
  }

  #handleFileChange(path: string): void {
    if (path.includes(`${sep}.git${sep}`) || path.endsWith(`${sep}.git`)) {
      this.#soon('', DISK_DEBOUNCE_MS, () => void this.#commits.checkForCommit());
      return;
    }
    if (this.#modifiedFiles.get(path)) this.#soon(path, DISK_DEBOUNCE_MS, () => this.#refreshFile(path, false));
    else if (this.#turns.isWorking) this.#later();
  }

  #refreshFile(path: string, isTyped: boolean): void {
    if (this.#modifiedFiles.get(path)) void this.#tracker.refreshFile(path);
    else if (isTyped && this.#turns.isWorking) void this.#tracker.trackFile(path);
  }

  /** Further changes do not delay the scan, so that files are also scanned while an agent is busy. */
  #later(): void {
    if (this.#timers.has(sep)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(sep);
      void this.#turns.scan();
    }, SCAN_INTERVAL_MS);
    this.#timers.set(sep, timer);
  }

  #soon(key: string, ms: number, job: () => void): void {
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      job();
    }, ms);
    this.#timers.set(key, timer);
  }
}
