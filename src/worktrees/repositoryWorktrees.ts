import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SerialQueue } from '../base/async';
import { ParleyError, errorMessage, isCancellation } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import { makePrivateFolder } from '../node/fs/privateFiles';
import { isInside } from '../node/fs/realPaths';
import type { Git } from '../node/gitCommand';
import type { CreatedWorktree, NewWorktree, WorktreeRequest } from './createWorktree';
import type { BaseBranch } from './gitRepository';
import type { FolderSize } from './ignoredFiles';
import type { WorktreeChange, WorktreeWork } from './worktreeChanges';
import type { WorktreeRecord } from './worktreeRecord';
import type { DiscardOutcome, Worktrees } from './worktrees';
import { WorktreeStore } from './worktreeStore';

/** Milliseconds: large repositories take minutes to check out. */
const CREATE_DEADLINE_MS = 600_000;
const READ_DEADLINE_MS = 60_000;

/** Reads and writes the worktrees with git. Compares names of folders only. */
export class RepositoryWorktrees implements Worktrees, Disposable {
  readonly #store: WorktreeStore;
  /** By id. Includes records that are not ready, or discarded. */
  readonly #records = new Map<string, WorktreeRecord>();
  readonly #onDidChange = new Emitter<void>();
  /** Of the window, with links resolved. */
  #folders: readonly string[] = [];
  readonly #discarding = new Set<string>();
  readonly #updates = new SerialQueue();

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  /**
   * @param storage absolute; all windows use the same
   * @param owner identifies the workspace. Only its windows know the sessions of its worktrees
   */
  private constructor(
    private readonly git: Git,
    private readonly log: Logger,
    private readonly storage: string,
    private readonly owner: string,
  ) {
    this.#store = new WorktreeStore(storage, log);
  }

  /**
   * Reads the worktrees of these folders' repositories. The window waits, so no git and no other workspace is used.
   * @param folders absolute workspace folders
   */
  static async open(
    git: Git,
    log: Logger,
    storage: string,
    owner: string,
    folders: readonly string[],
  ): Promise<RepositoryWorktrees> {
    await makePrivateFolder(storage);
    // Real paths, as git prints them.
    const worktrees = new RepositoryWorktrees(git, log, await realpath(storage), owner);
    await worktrees.setFolders(folders);
    return worktrees;
  }

  usable(): readonly WorktreeRecord[] {
    const usable = [...this.#records.values()].filter(({ isReady, isDiscarded }) => isReady && !isDiscarded);
    return usable.toSorted((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): WorktreeRecord | undefined {
    return this.usable().find((record) => record.id === id);
  }

  around(folder: string): WorktreeRecord | undefined {
    return this.usable().find(({ path }) => isInside(path, folder));
  }

  folderAround(folder: string): string | undefined {
    const record = this.around(folder);
    return record && this.workingFolder(record);
  }

  folders(): readonly string[] {
    return this.usable().map((record) => this.workingFolder(record));
  }

  counterpart(cwd: string, path: string): string | undefined {
    const record = this.around(cwd);
    if (!record || !isInside(record.repository, path)) return undefined;
    return join(record.path, relative(record.repository, path));
  }

  workingFolder({ path, prefix }: WorktreeRecord): string {
    return prefix === '' ? path : join(path, prefix);
  }

  /** @param folders absolute workspace folders; a worktree that is one of them is used by this window */
  async setFolders(folders: readonly string[]): Promise<void> {
    this.#folders = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
    for (const folder of this.#folders) this.reserve(folder);
    await this.refresh();
  }

  async refresh(): Promise<void> {
    const found = (await this.#store.read(this.#records)).filter(({ repository }) =>
      this.#folders.some((folder) => isInside(repository, folder) || isInside(folder, repository)),
    );
    const own = [...this.#records.values()].filter(({ id }) => this.#store.isClaimed(id));
    this.#records.clear();
    for (const record of [...found, ...own]) this.#records.set(record.id, record);
    this.#onDidChange.fire();
  }

  async create(requested: NewWorktree, signal?: AbortSignal): Promise<CreatedWorktree> {
    const { git, owner } = this;
    const { race, folder, from } = requested;
    const deadline = AbortSignal.any([AbortSignal.timeout(CREATE_DEADLINE_MS), ...(signal ? [signal] : [])]);
    const { findRepository } = await import('./gitRepository');
    const { plannedWorktree } = await import('./createWorktree');
    const request = { ...requested, repository: await findRepository(git, folder, deadline, from) };
    const id = randomBytes(4).toString('hex');
    this.#store.claim(id);
    try {
      return await this.#store.inTurn(request.repository.top, async () => {
        const plan = await plannedWorktree(git, this.#store.folderOf(id), id, request, deadline);
        const state = { createdAt: Date.now(), isReady: false, isDiscarded: false };
        const record = { ...plan, ...state, owner, ...(race && { race }) };
        return this.#add(record, request, deadline);
      });
    } catch (error) {
      this.#store.release(id);
      const isLate = deadline.aborted && !isCancellation(error);
      throw isLate ? new ParleyError('internal', t('Creating the worktree took too long')) : error;
    }
  }

  async assign(id: string, session: string): Promise<void> {
    for (const record of this.#records.values()) {
      // The session was an empty chat that worked in another worktree before.
      if (record.id !== id && record.session === session)
        await this.#update(record.id, ({ session: _session, ...current }) => current);
    }
    await this.#update(id, (record) => ({ ...record, session, owner: this.owner }));
  }

  async recordSetup(id: string): Promise<void> {
    const record = this.get(id);
    if (!record) return;
    try {
      const { setupResults } = await import('./worktreeChanges');
      const setup = await setupResults(this.git, record, AbortSignal.timeout(READ_DEADLINE_MS));
      await this.#update(id, (current) => ({ ...current, setup }));
    } catch (error) {
      this.#warn(record, error);
    }
  }

  async renameBranch(id: string, text: string): Promise<void> {
    const record = this.get(id);
    if (!record) return;
    try {
      const { renameBranch } = await import('./createWorktree');
      // Two concurrent calls of `git branch -m` with the same name both succeed, and one branch is lost.
      await this.#store.inTurn(record.repository, async () => {
        const branch = await renameBranch(this.git, record, text);
        if (branch !== record.branch) await this.#update(id, (current) => ({ ...current, branch }));
      });
    } catch (error) {
      this.#warn(record, error);
    }
  }

  async bases(folder: string): Promise<readonly BaseBranch[]> {
    const { baseBranches } = await import('./gitRepository');
    return baseBranches(this.git, folder, AbortSignal.timeout(READ_DEADLINE_MS));
  }

  async size(record: WorktreeRecord): Promise<FolderSize> {
    const { diskUsage } = await import('./ignoredFiles');
    return diskUsage(this.#store.folderOf(record.id), AbortSignal.timeout(READ_DEADLINE_MS));
  }

  async changes(record: WorktreeRecord): Promise<readonly WorktreeChange[]> {
    const { changesSinceBase } = await import('./worktreeChanges');
    return changesSinceBase(this.git, record, AbortSignal.timeout(READ_DEADLINE_MS));
  }

  async bytes(
    record: WorktreeRecord,
    change: WorktreeChange,
  ): Promise<{ readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined }> {
    const { changedBytes } = await import('./worktreeChanges');
    return changedBytes(this.git, record, change, AbortSignal.timeout(READ_DEADLINE_MS));
  }

  async work(record: WorktreeRecord): Promise<WorktreeWork> {
    const { worktreeWork } = await import('./worktreeChanges');
    const current = await this.#withBranch(record);
    return worktreeWork(this.git, current, AbortSignal.timeout(READ_DEADLINE_MS));
  }

  async discard(id: string, agreed?: WorktreeWork): Promise<DiscardOutcome> {
    const stored = this.#records.get(id);
    if (!stored) return 'discarded';
    if (!this.#store.claim(id))
      throw new ParleyError('conflict', t('Another window is using this worktree'), {
        nextStep: t('Discard the worktree there, or close that window.'),
      });
    this.#discarding.add(id);
    try {
      const record = await this.#withBranch(stored);
      if (agreed && !(await this.#isStill(record, agreed))) return 'changed';
      const outcome = await this.#discardNow(record);
      // A worktree of this worktree belongs to the main folder now.
      if ([...this.#records.values()].some(({ repository }) => repository === record.path))
        await this.#refreshRecords();
      return outcome;
    } finally {
      this.#discarding.delete(id);
    }
  }

  async cleanUp(hasSession: (session: string) => boolean): Promise<void> {
    // If git cannot run, as in an untrusted workspace, the branch cannot be deleted, so the folder must stay too.
    if ((await this.git.problem()) !== undefined) return;
    await this.#refreshRecords();
    const isAbandoned = ({ isReady, isDiscarded, owner, session = '' }: WorktreeRecord): boolean =>
      !isReady || isDiscarded || (owner === this.owner && !hasSession(session));
    for (const { id, isDiscarded } of [...this.#records.values()].filter(isAbandoned)) {
      // Skips worktrees in use, here or in another window. An agreed discard continues even if its chat is open again.
      if (this.#discarding.has(id) || (this.#store.isClaimed(id) && !isDiscarded) || !this.#store.claim(id)) continue;
      // One at a time, because git locks the repository.
      await this.#removeAbandoned(id, isAbandoned);
      this.#store.release(id);
    }
    await this.#store.removeEmpty();
  }

  reserve(folder: string): boolean {
    const { storage } = this;
    const [id = ''] = isInside(storage, folder) ? relative(storage, folder).split(sep) : [];
    return id === '' || (!this.#discarding.has(id) && this.#store.claim(id));
  }

  dispose(): void {
    this.#store.dispose();
    this.#onDidChange.dispose();
  }

  async #add(record: WorktreeRecord, request: WorktreeRequest, signal: AbortSignal): Promise<CreatedWorktree> {
    try {
      await this.#writeRecord(record);
      const { addWorktree } = await import('./createWorktree');
      const { base, links, skipped } = await addWorktree(this.git, record, request, signal);
      const worktree = { ...record, base, ...(links.length > 0 && { links }), isReady: true };
      await this.#writeRecord(worktree);
      return { worktree, skipped };
    } catch (error) {
      await this.#removeNow(record).catch((again: unknown) => this.#warn(record, again));
      throw error;
    }
  }

  /** Follows moved repositories and renamed branches. */
  async #refreshRecords(): Promise<void> {
    const signal = AbortSignal.timeout(READ_DEADLINE_MS);
    const { followRecords } = await import('./registeredWorktrees');
    for (const record of await followRecords(this.git, await this.#store.read(), this.#folders, signal)) {
      const isOurs = this.#store.isClaimed(record.id);
      if (!this.#store.claim(record.id)) continue;
      await this.#writeRecord(record).catch((error: unknown) => this.#warn(record, error));
      if (!isOurs) this.#store.release(record.id);
    }
  }

  /** The record with the name that the branch has now. */
  async #withBranch(record: WorktreeRecord): Promise<WorktreeRecord> {
    const { git } = this;
    const { presentBranch } = await import('./registeredWorktrees');
    const branch = await presentBranch(git, record, AbortSignal.timeout(READ_DEADLINE_MS)).catch(() => record.branch);
    return { ...record, branch };
  }

  /** Changes the record as it is now, for other changes may be under way. A worktree that is being discarded keeps its mark. */
  #update(id: string, change: (record: WorktreeRecord) => WorktreeRecord): Promise<void> {
    return this.#updates.run(async () => {
      const record = this.#records.get(id);
      if (record && !this.#discarding.has(id)) await this.#writeRecord(change(record));
    });
  }

  /** Whether the worktree contains what the user has agreed to lose, and nothing else. */
  async #isStill(record: WorktreeRecord, agreed: WorktreeWork): Promise<boolean> {
    const { isSameWork } = await import('./worktreeChanges');
    const work = await this.work(record).catch(() => undefined);
    return work !== undefined && isSameWork(work, agreed);
  }

  async #writeRecord(record: WorktreeRecord): Promise<void> {
    await this.#store.write(record);
    this.#records.set(record.id, record);
    this.#onDidChange.fire();
  }

  async #discardNow(record: WorktreeRecord): Promise<DiscardOutcome> {
    // The mark is only needed after a crash during the removal, so a full disk must not prevent the removal.
    await this.#writeRecord({ ...record, isDiscarded: true }).catch((error: unknown) => this.#warn(record, error));
    try {
      return await this.#store.inTurn(record.repository, () => this.#removeNow(record));
    } catch (error) {
      await this.#writeRecord(record).catch((again: unknown) => this.#warn(record, again));
      throw error;
    }
  }

  /** Removes a worktree that this window has reserved, unless another window has used it meanwhile. Never rejects. */
  async #removeAbandoned(id: string, isAbandoned: (record: WorktreeRecord) => boolean): Promise<void> {
    const record = (await this.#store.read()).find((each) => each.id === id);
    if (!record || !isAbandoned(record)) return;
    try {
      if (record.isReady && !record.isDiscarded) {
        const { isEmptyWork, hasStagedContent } = await import('./worktreeChanges');
        if (!isEmptyWork(await this.work(record), record.setup ?? [])) return;
        if ((await this.changes(record)).length > 0) return;
        if (await hasStagedContent(this.git, record, AbortSignal.timeout(READ_DEADLINE_MS))) return;
      }
      const current = await this.#withBranch(record);
      await this.#store.inTurn(record.repository, () => this.#removeNow(current));
    } catch (error) {
      this.#warn(record, error);
    }
  }

  async #removeNow(record: WorktreeRecord): Promise<DiscardOutcome> {
    const { removeFromRepository } = await import('./registeredWorktrees');
    const wasFound = await removeFromRepository(this.git, record, AbortSignal.timeout(CREATE_DEADLINE_MS));
    // If this fails, the record remains, and the next start continues the removal.
    await this.#store.remove(record).catch((error: unknown) => this.#warn(record, error));
    this.#records.delete(record.id);
    this.#store.release(record.id);
    this.#onDidChange.fire();
    return wasFound ? 'discarded' : 'noRepository';
  }

  #warn({ branch }: WorktreeRecord, error: unknown): void {
    this.log.warn('worktrees', `Failed to change the worktree of ${branch}: ${errorMessage(error)}`);
  }
}
