// Protected by test/unit/review/sameFolderWindows.test.ts: two windows of a folder keep each other’s checkpoints.
import { dirname } from 'node:path';
import { SerialQueue } from '../../base/async';
import { t } from '../../base/l10n';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import type { Mutex } from '../../node/fs/fileMutex';
import { fileMutex } from '../../node/fs/fileMutex';
import { readIfThere } from '../../node/fs/readIfThere';
import { identityOf, keepDamagedCopy, readStoredJson } from '../../node/fs/storedFile';
import { windowName } from '../../node/process/processStart';
import { writeModes } from '../git/fileModes';
import type { Checkpoint, StartedTurn } from './checkpoint';
import { CHECKPOINTS_VERSION, isOpenElsewhere } from './checkpoint';

/** Milliseconds to wait for another window that writes the list; later that window counts as hanging. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * The list of checkpoints on disk, oldest first; written whole, one write at a time. Another window may have the same folder open and use the
 * same list: each write adds what others have written.
 */
export class CheckpointStore {
  #file: string | undefined;
  #isNewer = false;
  #isUnread = false;
  readonly #queue = new SerialQueue();
  #list: readonly Checkpoint[] = [];
  #starting: readonly StartedTurn[] = [];
  /** Ids of those that this window has added or changed, and of those that it has removed. */
  readonly #own = new Set<string>();
  readonly #removed = new Set<string>();
  /** Identifies the file that this window has read or written last. */
  #known: string | undefined;
  readonly #inTurn: Mutex;

  /** @param file absolute; undefined keeps the list in memory only */
  constructor(file: string | undefined) {
    this.#file = file;
    this.#inTurn = fileMutex(dirname(file ?? ''), LOCK_TIMEOUT_MS);
  }

  /** @throws system errors when the list cannot be read; see {@link isKept} */
  async load(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    this.#isUnread = true;
    this.#known = await identityOf(file);
    const { readList } = await import('./storedCheckpoints');
    const stored = await readStoredJson(file, readList, t('the checkpoints'));
    this.#isUnread = false;
    if (stored?.isPartial === true) await keepDamagedCopy(file, t('some checkpoints'));
    this.#list = stored?.list ?? [];
    this.#starting = stored?.starting ?? [];
    this.#isNewer = stored?.isNewer ?? false;
    if (!this.#isNewer) this.#file = file;
  }

  /** The list on disk was not taken over. It stays as it is, with everything it needs; new checkpoints are kept in memory only. */
  get isKept(): boolean {
    return this.#isNewer || this.#isUnread;
  }

  /** A newer version of Parley wrote the list: see {@link isKept}. */
  get isNewer(): boolean {
    return this.#isNewer;
  }

  all(): readonly Checkpoint[] {
    return this.#list;
  }

  get(id: string): Checkpoint | undefined {
    return this.#list.find((checkpoint) => checkpoint.id === id);
  }

  async add(checkpoint: Checkpoint): Promise<void> {
    this.#list = [...this.#list, this.#owned(checkpoint)];
    if (checkpoint.isTurnOpen) this.#endStart(checkpoint.sessionId);
    await this.#save();
  }

  /** Records that an agent may work from now on, before the checkpoint of its turn is complete. */
  async addStart(sessionId: string): Promise<void> {
    this.#endStart(sessionId);
    this.#starting = [...this.#starting, { sessionId, window: windowName(), at: Date.now() }];
    await this.#save();
  }

  /**
   * Removes the records of turns that have no checkpoint, except those of other windows that still run. They stay on disk until the next
   * write.
   * @param sessionId all sessions by default
   * @returns the sessions of those
   */
  takeStarts(sessionId?: string): readonly string[] {
    const isTaken = (each: StartedTurn): boolean =>
      each.sessionId === (sessionId ?? each.sessionId) && !isOpenElsewhere(each);
    const taken = this.#starting.filter(isTaken);
    this.#starting = this.#starting.filter((each) => !isTaken(each));
    return taken.map((each) => each.sessionId);
  }

  /**
   * Inserts each copy after its source, since later file copies count for both.
   * @param copies by the ids of their sources
   */
  async addCopies(copies: ReadonlyMap<string, Checkpoint>): Promise<void> {
    if (copies.size === 0) return;
    for (const { id } of copies.values()) this.#own.add(id);
    this.#list = this.#list.flatMap((each) => [each, ...(copies.has(each.id) ? [copies.get(each.id) ?? each] : [])]);
    await this.#save();
  }

  /** Replaces all of them in one write. */
  async replace(...checkpoints: readonly Checkpoint[]): Promise<void> {
    const owned = checkpoints.map((each) => this.#owned(each));
    this.#list = this.#list.map((each) => owned.find(({ id }) => id === each.id) ?? each);
    await this.#save();
  }

  async remove(ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) this.#removed.add(id);
    this.#list = this.#list.filter(({ id }) => !ids.has(id));
    await this.#save();
  }

  /** Adds what other windows have written. @throws system errors */
  async refresh(): Promise<void> {
    const file = this.#file;
    if (file !== undefined) await this.#queue.run(() => this.#addOthers(file));
  }

  #owned({ window: _window, ...checkpoint }: Checkpoint): Checkpoint {
    this.#own.add(checkpoint.id);
    return checkpoint.isOpen || checkpoint.isTurnOpen ? { ...checkpoint, window: windowName() } : checkpoint;
  }

  #endStart(sessionId: string): void {
    this.#starting = this.#starting.filter((each) => each.sessionId !== sessionId);
  }

  async #addOthers(file: string): Promise<void> {
    const there = await identityOf(file);
    if (there === undefined || there === this.#known) return;
    const text = (await readIfThere(file).catch(() => undefined))?.toString() ?? '';
    const { withOthers } = await import('./storedCheckpoints');
    const mine = { list: this.#list, starting: this.#starting };
    const { list, starting } = withOthers(text, mine, this.#own, this.#removed);
    this.#list = list;
    this.#starting = starting;
  }

  async #save(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    const write = async (): Promise<void> => {
      await this.#addOthers(file);
      const starting = this.#starting.length > 0 && { starting: this.#starting };
      const stored = { parley: CHECKPOINTS_VERSION, checkpoints: this.#list.map(toStored), ...starting };
      await writeFileAtomic(file, JSON.stringify(stored));
      this.#known = await identityOf(file);
    };
    await this.#queue.run(() => this.#inTurn(file, write));
  }
}

function toStored(checkpoint: Checkpoint): object {
  const roots = checkpoint.roots.map((root) => ({ ...root, modes: root.modes && writeModes(root.modes) }));
  return { ...checkpoint, roots };
}
