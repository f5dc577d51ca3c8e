import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ParleyError, errorMessage, isCancellation } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import type { Logger } from '../base/logger';
import { makePrivateFolder } from '../node/fs/privateFiles';
import { isInside } from '../node/fs/realPaths';
import type { Git } from '../node/git/gitCommand';
import type { CreatedWorktree, NewWorktree, WorktreeRequest } from './createWorktree';
import { locateRepository, removeFromRepository } from './registeredWorktrees';
import type { WorktreeChange, WorktreeWork } from './worktreeChanges';
import type { WorktreeRecord } from './worktreeRecord';
import { WorktreeStore } from './worktreeStore';

export interface WorktreesOptions {
  readonly git: Git;
  readonly log: Logger;
  /** Absolute; all windows use the same. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Milliseconds: large repositories take minutes to check out. */
const CREATE_DEADLINE_MS = 600_000;
const READ_DEADLINE_MS = 60_000;

/** The git worktrees that Parley has created for the repositories of this window. */
export class Worktrees {
  readonly #options: WorktreesOptions;
  readonly #store: WorktreeStore;
  readonly #changed = new Emitter<void>();
  /** Of the window, with links resolved. */
  #folders: readonly string[] = [];
  /** By id. */
  readonly #records = new Map<string, WorktreeRecord>();

  readonly onDidChange: Event<void> = this.#changed.event;

  private constructor(options: WorktreesOptions) {
    this.#options = options;
    this.#store = new WorktreeStore(options.folder, options.log);
  }

  /**
   * Reads the worktrees of these folders' repositories.
   * @param folders absolute workspace folders
   */
  static async open(options: WorktreesOptions, folders: readonly string[]): Promise<Worktrees> {
    await makePrivateFolder(options.folder);
    // As git prints it.
    const worktrees = new Worktrees({ ...options, folder: await realpath(options.folder) });
    worktrees.#folders = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
    await worktrees.refresh();
    return worktrees;
  }

  /** Reads what other windows have created and discarded. */
  async refresh(): Promise<void> {
    const found = new Map<string, WorktreeRecord>();
    for (const record of await this.#store.read()) {
      const known = await this.#located(record, this.#folders);
      if (this.#folders.some((folder) => isInside(known.repository, folder) || isInside(folder, known.repository)))
        found.set(known.id, known);
    }
    for (const [id, record] of this.#records) if (this.#store.isClaimed(id)) found.set(id, record);
    this.#records.clear();
    for (const [id, record] of found) this.#records.set(id, record);
    this.#changed.fire();
  }

  /** Those that can be used, oldest first. */
  all(): readonly WorktreeRecord[] {
    const usable = [...this.#records.values()].filter(({ isReady, isDiscarded }) => isReady && !isDiscarded);
    return usable.toSorted((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): WorktreeRecord | undefined {
    return this.all().find((record) => record.id === id);
  }

  /** The worktree that a folder belongs to. Compares names only. */
  around(folder: string): WorktreeRecord | undefined {
    return this.all().find(({ path }) => isInside(path, folder));
  }

  /** The only folder of a session that works in this folder; undefined outside all worktrees. */
  folderAround(folder: string): string | undefined {
    const record = this.around(folder);
    return record && this.workingFolder(record);
  }

  /** The folders that sessions work in. */
  folders(): readonly string[] {
    return this.all().map((record) => this.workingFolder(record));
  }

  /** The path in the worktree of a session that stands for a path of the workspace. */
  counterpart(cwd: string, path: string): string | undefined {
    const record = this.around(cwd);
    if (!record || !isInside(record.repository, path)) return undefined;
    return join(record.path, relative(record.repository, path));
  }

  /** The folder of a worktree that stands for the workspace folder. */
  workingFolder({ path, prefix }: WorktreeRecord): string {
    return prefix === '' ? path : join(path, prefix);
  }

  /**
   * Creates a worktree on a new branch, with the uncommitted and untracked work of the user in it. If that fails, nothing of it is left.
   * @throws ParleyError
   */
  async create(wanted: NewWorktree, signal?: AbortSignal): Promise<CreatedWorktree> {
    const { git, now } = this.#options;
    const { race } = wanted;
    const deadline = AbortSignal.any([AbortSignal.timeout(CREATE_DEADLINE_MS), ...(signal ? [signal] : [])]);
    const { findRepository } = await import('./gitRepository');
    const { plannedWorktree } = await import('./createWorktree');
    const request = { ...wanted, repository: await findRepository(git, wanted.folder, deadline) };
    const id = randomBytes(4).toString('hex');
    this.#store.claim(id);
    try {
      return await this.#store.inTurn(request.repository.top, async () => {
        const plan = await plannedWorktree(git, this.#store.folderOf(id), id, request, deadline);
        const record = { ...plan, createdAt: now(), isReady: false, isDiscarded: false, ...(race && { race }) };
        return this.#add(record, request, deadline);
      });
    } catch (error) {
      this.#store.release(id);
      const isLate = deadline.aborted && !isCancellation(error);
      throw isLate ? new ParleyError('internal', t('Creating the worktree took too long')) : error;
    }
  }

  /** Stores which session works in the worktree. */
  async assign(id: string, session: string): Promise<void> {
    for (const { session: former, ...record } of this.#records.values()) {
      // An empty chat that worked in another one before.
      if (record.id !== id && former === session) await this.#put(record);
    }
    const record = this.#records.get(id);
    if (record) await this.#put({ ...record, session });
  }

  /** Renames the branch after the first message of a session. Never rejects: a branch that the agent has changed keeps its name. */
  async renameBranch(id: string, words: string): Promise<void> {
    const record = this.get(id);
    if (!record) return;
    try {
      const { renameBranch } = await import('./createWorktree');
      // Of two calls of `git branch -m` with the same name at once, both succeed, and one branch is lost.
      await this.#store.inTurn(record.repository, async () => {
        const branch = await renameBranch(this.#options.git, record, words);
        if (branch !== record.branch) await this.#put({ ...record, branch });
      });
    } catch (error) {
      this.#warn(record, error);
    }
  }

  /** The changes since creation, committed or not. */
  async changes(record: WorktreeRecord): Promise<readonly WorktreeChange[]> {
    const { changesSinceBase } = await import('./worktreeChanges');
    return changesSinceBase(this.#options.git, record, AbortSignal.timeout(READ_DEADLINE_MS));
  }

  /** Bytes of a changed file at creation and now; undefined where it is missing. */
  async bytes(
    record: WorktreeRecord,
    change: WorktreeChange,
  ): Promise<{ readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined }> {
    const { changedBytes } = await import('./worktreeChanges');
    return changedBytes(this.#options.git, record, change);
  }

  /**
   * What {@link discard} would delete.
   * @throws ParleyError when the worktree cannot be read
   */
  async work(record: WorktreeRecord): Promise<WorktreeWork> {
    const { worktreeWork } = await import('./worktreeChanges');
    return worktreeWork(this.#options.git, record, AbortSignal.timeout(READ_DEADLINE_MS));
  }

  /**
   * Deletes the worktree and its branch. After a crash it goes on at the next start.
   * @throws ParleyError
   */
  async discard(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (!record) return;
    if (!this.#store.claim(id))
      throw new ParleyError('conflict', t('Another window uses this worktree'), {
        nextStep: t('Discard the worktree there, or close that window.'),
      });
    // A full disk must not keep the worktree; only a crash during the removal needs the mark.
    await this.#put({ ...record, isDiscarded: true }).catch((error: unknown) => this.#warn(record, error));
    try {
      await this.#remove(record);
    } catch (error) {
      await this.#put(record).catch((again: unknown) => this.#warn(record, again));
      throw error;
    }
  }

  /**
   * Removes what crashes and agreed discards have left, and worktrees in which nothing happened. Never rejects.
   * @param isKnown whether a session still exists
   */
  async cleanUp(isKnown: (session: string) => boolean): Promise<void> {
    // Without git, in an untrusted workspace, a folder must not go before its branch.
    if ((await this.#options.git.problem()) !== undefined) return;
    const unused = await Promise.all(
      this.all().map(async (record) => ({
        record,
        isUnused: !isKnown(record.session ?? '') && (await this.#isEmpty(record)),
      })),
    );
    const unfinished = [...this.#records.values()].filter(({ isReady, isDiscarded }) => !isReady || isDiscarded);
    for (const record of [...unfinished, ...unused.flatMap(({ record, isUnused }) => (isUnused ? record : []))]) {
      // In use, here or in another window.
      if (this.#store.isClaimed(record.id) || !this.#store.claim(record.id)) continue;
      // oxlint-disable-next-line no-await-in-loop -- git locks the repository
      await this.#remove(record).catch((error: unknown) => this.#warn(record, error));
      this.#store.release(record.id);
    }
  }

  /** Keeps other windows from removing a worktree that a session of this window works in. */
  use(folder: string): void {
    const record = this.around(folder);
    if (record) this.#store.claim(record.id);
  }

  dispose(): void {
    this.#store.dispose();
    this.#changed.dispose();
  }

  async #add(record: WorktreeRecord, request: WorktreeRequest, signal: AbortSignal): Promise<CreatedWorktree> {
    try {
      await this.#put(record);
      const { addWorktree } = await import('./createWorktree');
      const leftOut = await addWorktree(this.#options.git, record, request, signal);
      const worktree = { ...record, isReady: true };
      await this.#put(worktree);
      return { worktree, leftOut };
    } catch (error) {
      await this.#removeNow(record).catch((again: unknown) => this.#warn(record, again));
      throw error;
    }
  }

  async #isEmpty(record: WorktreeRecord): Promise<boolean> {
    try {
      const [changes, { commits }] = await Promise.all([this.changes(record), this.work(record)]);
      return changes.length + commits.length === 0;
    } catch {
      return false;
    }
  }

  /** Follows a repository that the user has moved. */
  async #located(record: WorktreeRecord, folders: readonly string[]): Promise<WorktreeRecord> {
    try {
      const found = await locateRepository(this.#options.git, record, folders);
      if (found !== record) await this.#store.write(found);
      return found;
    } catch (error) {
      this.#warn(record, error);
      return record;
    }
  }

  async #put(record: WorktreeRecord): Promise<void> {
    await this.#store.write(record);
    this.#records.set(record.id, record);
    this.#changed.fire();
  }

  #remove(record: WorktreeRecord): Promise<void> {
    return this.#store.inTurn(record.repository, () => this.#removeNow(record));
  }

  async #removeNow(record: WorktreeRecord): Promise<void> {
    await removeFromRepository(this.#options.git, record, AbortSignal.timeout(CREATE_DEADLINE_MS));
    await this.#store.remove(record.id);
    this.#records.delete(record.id);
    this.#store.release(record.id);
    this.#changed.fire();
  }

  #warn({ branch }: WorktreeRecord, error: unknown): void {
    this.#options.log.warn('app', `Failed to change the worktree of ${branch}: ${errorMessage(error)}`);
  }
}
