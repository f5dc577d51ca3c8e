import { sep } from 'node:path';
import * as vscode from 'vscode';
import { MAX_OPEN_FILES, mapLimited } from '../../base/async';
import { DelayedCall, systemClock } from '../../base/clock';
import type { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { AgentTurns } from './agentTurns';
import type { ChangeTracker } from './changeTracker';
import type { CommitWatcher } from './commitWatcher';
import type { UserSave, UserSaves } from './userSaves';

/** Milliseconds without a change before an edited file is checked. */
const TYPING_PAUSE_MS = 150;
const DISK_DEBOUNCE_MS = 250;
/** The interval of workspace scans while an agent writes. */
const SCAN_INTERVAL_MS = 400;

/** Forwards editor and disk events to the tracker. */
export class WorkspaceWatcher implements Disposable {
  readonly #store = new DisposableStore();
  /** Checks that wait for the end of the changes of a file, by path. */
  readonly #checks = new Map<string, Disposable>();
  readonly #commitCheck = this.#store.add(new DelayedCall(DISK_DEBOUNCE_MS, () => void this.#checkForCommit()));
  /** Further changes do not delay the scan, so that files are also scanned while an agent is busy. */
  readonly #scan = this.#store.add(new DelayedCall(SCAN_INTERVAL_MS, () => void this.turns.scan()));
  /** By folder. */
  readonly #worktrees = new Map<string, Disposable>();

  constructor(
    private readonly tracker: ChangeTracker,
    private readonly turns: AgentTurns,
    private readonly commits: Lazy<CommitWatcher>,
    private readonly saves: UserSaves,
  ) {
    const { workspace } = vscode;
    this.#store.add(this.#watch('**/*'));
    this.#store.add(workspace.onDidChangeTextDocument((event) => this.#handleTyping(event)));
    this.#store.add(saves.onDidSave((save) => void this.#handleSave(save)));
    this.#store.add(workspace.onDidCloseTextDocument(({ uri }) => this.#handleFileChange(uri.fsPath)));
    this.#store.defer(() => {
      for (const check of this.#checks.values()) check.dispose();
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

  /** Files that the user has just changed. */
  async attributeFiles(paths: readonly string[]): Promise<void> {
    await mapLimited(paths, MAX_OPEN_FILES, (path) => this.#attribute(path));
  }

  dispose(): void {
    this.watchWorktrees([]);
    this.#store.dispose();
  }

  async #checkForCommit(): Promise<void> {
    await (await this.commits.load()).checkForCommit();
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
    this.#scheduleCheck(uri.fsPath, TYPING_PAUSE_MS, () => this.#refreshFile(uri.fsPath, document.isDirty));
  }

  async #handleSave(save: UserSave): Promise<void> {
    await this.#attribute(save.path);
    this.saves.deleteSave(save);
  }

  async #attribute(path: string): Promise<void> {
    if (this.tracker.modifiedFiles.get(path)) await this.tracker.refreshFile(path);
    else if (this.turns.agents.isBusy) await this.tracker.trackFile(path);
  }

  #handleFileChange(path: string): void {
    if (path.includes(`${sep}.git${sep}`) || path.endsWith(`${sep}.git`)) {
      this.#commitCheck.restart();
      return;
    }
    if (this.tracker.modifiedFiles.get(path))
      this.#scheduleCheck(path, DISK_DEBOUNCE_MS, () => this.#refreshFile(path, false));
    else if (this.turns.agents.isWorking) this.#scan.schedule();
  }

  #refreshFile(path: string, isTyped: boolean): void {
    if (this.tracker.modifiedFiles.get(path)) void this.tracker.refreshFile(path);
    else if (isTyped && this.turns.agents.isWorking) void this.tracker.trackFile(path);
  }

  #scheduleCheck(path: string, ms: number, check: () => void): void {
    this.#checks.get(path)?.dispose();
    const timer = systemClock.after(ms, () => {
      this.#checks.delete(path);
      check();
    });
    this.#checks.set(path, timer);
  }
}
