import { SerialQueue } from '../../base/async';
import { t } from '../../base/l10n';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { keepDamagedCopy, readStoredJson } from '../../node/fs/storedFile';
import { writeModes } from '../git/fileModes';
import type { Checkpoint } from './checkpoint';
import { CHECKPOINTS_VERSION } from './checkpoint';

/** The list of checkpoints on disk, oldest first; written whole, one write at a time. */
export class CheckpointStore {
  #file: string | undefined;
  #isNewer = false;
  #isUnread = false;
  readonly #queue = new SerialQueue();
  #list: Checkpoint[] = [];
  /** Sessions with a turn whose checkpoint is not in the list yet. */
  #starting: ReadonlySet<string> = new Set();

  /** @param file absolute; undefined keeps the list in memory only */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** @throws system errors when the list cannot be read; see {@link isKept} */
  async load(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    this.#isUnread = true;
    const { readList } = await import('./storedCheckpoints');
    const stored = await readStoredJson(file, readList, t('the checkpoints'));
    this.#isUnread = false;
    if (stored?.isPartial === true) await keepDamagedCopy(file, t('some checkpoints'));
    this.#list = stored?.list ?? [];
    this.#starting = new Set(stored?.starting);
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
    this.#list = [...this.#list, checkpoint];
    if (checkpoint.isTurnOpen) this.#setStarting(checkpoint.sessionId, false);
    await this.#save();
  }

  /** Records that an agent may work from now on, before the checkpoint of its turn is complete. */
  async addStart(sessionId: string): Promise<void> {
    this.#setStarting(sessionId, true);
    await this.#save();
  }

  /**
   * Removes the records of turns that have no checkpoint; they stay on disk until the next write.
   * @param sessionId all sessions by default
   * @returns the sessions of those
   */
  takeStarts(sessionId?: string): readonly string[] {
    const taken = [...this.#starting].filter((each) => each === (sessionId ?? each));
    for (const each of taken) this.#setStarting(each, false);
    return taken;
  }

  /**
   * Inserts each copy after its source, since later file copies count for both.
   * @param copies by the ids of their sources
   */
  async addCopies(copies: ReadonlyMap<string, Checkpoint>): Promise<void> {
    if (copies.size === 0) return;
    this.#list = this.#list.flatMap((each) => [each, ...(copies.has(each.id) ? [copies.get(each.id) ?? each] : [])]);
    await this.#save();
  }

  /** Replaces all of them in one write. */
  async replace(...checkpoints: readonly Checkpoint[]): Promise<void> {
    this.#list = this.#list.map((each) => checkpoints.find(({ id }) => id === each.id) ?? each);
    await this.#save();
  }

  async remove(ids: ReadonlySet<string>): Promise<void> {
    this.#list = this.#list.filter(({ id }) => !ids.has(id));
    await this.#save();
  }

  #setStarting(sessionId: string, is: boolean): void {
    this.#starting = new Set([...[...this.#starting].filter((each) => each !== sessionId), ...(is ? [sessionId] : [])]);
  }

  async #save(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    await this.#queue.run(async () => {
      const starting = this.#starting.size > 0 && { starting: [...this.#starting] };
      const stored = { parley: CHECKPOINTS_VERSION, checkpoints: this.#list.map(toStored), ...starting };
      await writeFileAtomic(file, JSON.stringify(stored));
    });
  }
}

function toStored(checkpoint: Checkpoint): object {
  const roots = checkpoint.roots.map((root) => ({ ...root, modes: root.modes && writeModes(root.modes) }));
  return { ...checkpoint, roots };
}
