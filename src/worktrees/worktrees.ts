import type { Event } from '../base/event';
import type { CreatedWorktree, NewWorktree } from './createWorktree';
import type { BaseBranch } from './gitRepository';
import type { FolderSize } from './ignoredFiles';
import type { WorktreeChange, WorktreeWork } from './worktreeChanges';
import type { WorktreeRecord } from './worktreeRecord';

/** `changed`: nothing was deleted, because the work has changed. `noRepository`: the missing repository may keep the branch. */
export type DiscardOutcome = 'discarded' | 'changed' | 'noRepository';

/** The git worktrees that Parley has created for the repositories of this window. `RepositoryWorktrees` implements it. */
export interface Worktrees {
  readonly onDidChange: Event<void>;
  /** Worktrees that can be used, oldest first. */
  usable(): readonly WorktreeRecord[];
  /** Only a worktree that can be used. */
  get(id: string): WorktreeRecord | undefined;
  /** The worktree that a folder belongs to. */
  around(folder: string): WorktreeRecord | undefined;
  /** The folder of a session that works in this folder; undefined outside all worktrees. */
  folderAround(folder: string): string | undefined;
  /** The folders that sessions work in. */
  folders(): readonly string[];
  /** The path in the worktree of a session that corresponds to a path of the workspace. */
  counterpart(cwd: string, path: string): string | undefined;
  /** The folder of a worktree that corresponds to the workspace folder. */
  workingFolder(record: WorktreeRecord): string;
  /** Reads what other windows have created and discarded. */
  refresh(): Promise<void>;
  /**
   * Creates a worktree on a new branch, with the uncommitted and untracked work of the user in it. If that fails, nothing of it is left.
   * @throws ParleyError
   */
  create(requested: NewWorktree, signal?: AbortSignal): Promise<CreatedWorktree>;
  /** Stores which session works in the worktree. */
  assign(id: string, session: string): Promise<void>;
  /** Stores what the setup has created: it does not count as work while it is unchanged. Never rejects. */
  recordSetup(id: string): Promise<void>;
  /** Renames the branch after the first message of a session. Never rejects: a branch that the agent has changed keeps its name. */
  renameBranch(id: string, text: string): Promise<void>;
  /**
   * The branches that a worktree of a folder's repository can start from, besides the checked-out one. Newest commit first.
   * @throws ParleyError when git fails
   */
  bases(folder: string): Promise<readonly BaseBranch[]>;
  /** What the worktree takes on disk, without what its links lead to. */
  size(record: WorktreeRecord): Promise<FolderSize>;
  /** The changes since creation, committed or not. */
  changes(record: WorktreeRecord): Promise<readonly WorktreeChange[]>;
  /** Bytes of a changed file at creation and now; undefined where it is missing. */
  bytes(
    record: WorktreeRecord,
    change: WorktreeChange,
  ): Promise<{ readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined }>;
  /**
   * What {@link discard} would delete.
   * @throws ParleyError when the worktree cannot be read
   */
  work(record: WorktreeRecord): Promise<WorktreeWork>;
  /**
   * Deletes the worktree and its branch. After a crash, the next start continues the deletion.
   * @param agreed what the user has agreed to lose; everything if undefined
   * @throws ParleyError; the worktree is then unchanged
   */
  discard(id: string, agreed?: WorktreeWork): Promise<DiscardOutcome>;
  /**
   * Follows repositories that were moved. Removes worktrees that a crash or an agreed discard has left, and those
   * without any work. Never rejects.
   * @param hasSession whether a session of this workspace still exists
   */
  cleanUp(hasSession: (session: string) => boolean): Promise<void>;
  /**
   * Reserves the worktree around a folder for this window, so that no other window writes in it or removes it.
   * @returns false while another window has reserved it, or while it is being discarded
   */
  reserve(folder: string): boolean;
}
