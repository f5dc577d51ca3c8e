import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import { tryParse } from '../base/schema';
import { writeFileAtomic } from '../node/fs/atomicWrite';
import type { FileLock } from '../node/fs/fileLock';
import { acquireLock } from '../node/fs/fileLock';
import type { Mutex } from '../node/fs/fileMutex';
import { fileMutex } from '../node/fs/fileMutex';
import { isThere, listIfThere } from '../node/fs/readIfThere';
import { readStoredJson } from '../node/fs/storedFile';
import type { WorktreeRecord } from './worktreeRecord';
import { ASIDE, OWN_REPOSITORY, worktreeRecord } from './worktreeRecord';

const RECORD = 'worktree.json';
/** A record that is being written. */
const UNFINISHED = /^worktree\.json\..*\.new$/;
const LOCKS = '.locks';
/** Milliseconds that another window may need for a large repository. */
const MAX_WAIT_MS = 600_000;

/** One folder for each worktree: its record, and the worktree itself. All windows use the same. */
export class WorktreeStore implements Disposable {
  readonly #claims = new Map<string, FileLock>();

  /** Git adds and removes one worktree of a repository at a time: another process may read half of what it has written. */
  readonly inTurn: Mutex;

  /** @param folder absolute; created when needed */
  constructor(
    private readonly folder: string,
    private readonly log: Logger,
  ) {
    this.inTurn = fileMutex(join(folder, LOCKS), MAX_WAIT_MS);
  }

  /** The folder of a worktree's record. */
  folderOf(id: string): string {
    return join(this.folder, id);
  }

  /**
   * The records of all repositories. A folder without one is left alone.
   * @param known stands in for what cannot be read now: a worktree whose record is missing counts as discarded
   */
  async read(known: ReadonlyMap<string, WorktreeRecord> = new Map()): Promise<readonly WorktreeRecord[]> {
    const names = await listIfThere(this.folder).catch((error: unknown) => {
      this.#warn(this.folder, error);
      return [...known.keys()];
    });
    const found: WorktreeRecord[] = [];
    for (const name of names) {
      const record = name === LOCKS ? undefined : await this.#readRecord(name, known);
      if (record) found.push(record);
    }
    return found;
  }

  async write(record: WorktreeRecord): Promise<void> {
    await writeFileAtomic(join(this.folderOf(record.id), RECORD), JSON.stringify(record));
  }

  /** Deletes everything that is left of the worktree, its record last. What others have put beside it stays. */
  async remove({ id, path }: WorktreeRecord): Promise<void> {
    const folder = this.folderOf(id);
    const options = { recursive: true, force: true, maxRetries: 3 };
    const own = new Set([basename(path), OWN_REPOSITORY]);
    const names = await listIfThere(folder);
    for (const name of names) if (own.has(name) || name.startsWith(ASIDE)) await rm(join(folder, name), options);
    // With its damaged copies.
    for (const name of names) if (name.startsWith(RECORD)) await rm(join(folder, name), options);
    await rmdir(folder).catch(() => undefined);
  }

  /** Removes folders that a crash has left before the first record or after the last one; any other content stays. Never rejects. */
  async removeEmpty(): Promise<void> {
    for (const id of await listIfThere(this.folder).catch(() => [])) {
      const folder = this.folderOf(id);
      const hasRecord = id === LOCKS || (await isThere(join(folder, RECORD)).catch(() => true));
      if (hasRecord || this.#claims.has(id) || !this.claim(id)) continue;
      for (const name of await readdir(folder).catch(() => []))
        if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true }).catch(() => undefined);
      await rmdir(folder).catch(() => undefined);
      this.release(id);
    }
  }

  /** Whether this window creates, uses or discards the worktree. */
  isClaimed(id: string): boolean {
    return this.#claims.has(id);
  }

  /**
   * Reserves a worktree for this window, until {@link release}.
   * @returns false while another window has reserved it, or may have
   */
  claim(id: string): boolean {
    if (this.#claims.has(id)) return true;
    try {
      const lock = acquireLock(join(this.folder, LOCKS), id);
      if (lock) this.#claims.set(id, lock);
      return lock !== undefined;
    } catch (error) {
      this.#warn(this.folderOf(id), error);
      return false;
    }
  }

  release(id: string): void {
    this.#claims.get(id)?.dispose();
    this.#claims.delete(id);
  }

  dispose(): void {
    for (const id of this.#claims.keys()) this.release(id);
  }

  async #readRecord(name: string, known: ReadonlyMap<string, WorktreeRecord>): Promise<WorktreeRecord | undefined> {
    const folder = this.folderOf(name);
    const file = join(folder, RECORD);
    try {
      const earlier = known.get(name);
      // Another window is about to write it, or has discarded the worktree.
      if (!(await isThere(file)) && !(earlier && (await isThere(earlier.path)))) return undefined;
      const lost = earlier ? undefined : t('the worktree whose files are in {0}', folder);
      const record = await readStoredJson(file, (json) => this.#parse(name, json), lost);
      if (!record && earlier) await this.write(earlier);
      return record ?? earlier;
    } catch (error) {
      this.#warn(folder, error);
      return known.get(name);
    }
  }

  #parse(name: string, json: unknown): WorktreeRecord | undefined {
    const record = tryParse(worktreeRecord, json);
    return 'value' in record && record.value.id === name && this.#isOwn(record.value) ? record.value : undefined;
  }

  #warn(folder: string, error: unknown): void {
    this.log.warn('worktrees', `Failed to read the worktree record in ${folder}: ${errorMessage(error)}`);
  }

  /** A damaged record must not name a folder that discarding would delete. */
  #isOwn({ id, path }: WorktreeRecord): boolean {
    return path.startsWith(this.folderOf(id)) && join(path, '..') === this.folderOf(id);
  }
}
