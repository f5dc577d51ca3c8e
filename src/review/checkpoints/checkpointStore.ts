import { SerialQueue } from '../../base/async';
import { asArray, asNumber, asObject, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { enumOf, fieldPath, list, object, optional, SchemaError, string, tryParse } from '../../base/schema';
import type { Schema } from '../../base/schema';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { keepDamagedCopy, readStoredJson } from '../../node/fs/storedFile';
import { gitObjectId } from '../../node/gitObjectId';
import { readStoredModes, writeModes } from '../git/fileModes';
import type { FileModes } from '../git/fileModes';
import type { RootTree } from '../git/workspaceSnapshots';

/** The serialized form of one side of a file: see `writeContentRef`. */
export type StoredContent = { readonly mode: string; readonly permissions?: number; readonly blob: string } | null;

export interface Checkpoint {
  readonly id: string;
  readonly sessionId: string;
  /** The folder of the session's git worktree; undefined for the workspace. */
  readonly worktree?: string;
  /** Entry of the prompt it precedes; undefined for one that undoes a restore. */
  readonly entry?: number;
  readonly at: number;
  /** Start of the recording: milliseconds since 1970, by the file system's clock. */
  readonly recordedAt?: number;
  readonly roots: readonly RootTree[];
  /** Files that no tree covers. */
  readonly copies: Readonly<Record<string, StoredContent>>;
  /** Why a file that no tree covers has no copy, by path. Later copies do not stand for it. */
  readonly missed?: Readonly<Record<string, string>>;
  /** Unsaved text of editors. */
  readonly unsaved: Readonly<Record<string, StoredContent>>;
  /** Blob with the review state. */
  readonly ledger: string;
  readonly leftOut: number;
  /** Sentences about what is not covered. */
  readonly notes: readonly string[];
  /**
   * Only for undoing a restore: the marks that its files have after it, null for a missing file; also while it is open. A file with another
   * mark was changed since.
   */
  readonly restored?: Readonly<Record<string, string | null>>;
  /** The change that it precedes has not ended: after a crash, a part of it may be there. */
  readonly isOpen?: true;
  /** The turn after the prompt has not ended: after a crash, it may have changes that no window has seen. */
  readonly isTurnOpen?: true;
  /** A damaged checkpoint came next: later copies may be of a later state. */
  readonly isBeforeGap?: true;
  /** Only while open: id of the checkpoint that is being restored. */
  readonly restores?: string;
}

/** The change after the checkpoint has ended. */
export function withoutChange({ isOpen: _isOpen, restores: _restores, ...checkpoint }: Checkpoint): Checkpoint {
  return checkpoint;
}

export function withoutTurn({ isTurnOpen: _isTurnOpen, ...checkpoint }: Checkpoint): Checkpoint {
  return checkpoint;
}

const CHECKPOINTS_VERSION = 1;

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

const number: Schema<number> = (value, path) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new SchemaError(path, t('a number'), value);
};

const flag: Schema<true> = (value, path) => {
  if (value === true) return value;
  throw new SchemaError(path, 'true', value);
};

const modes: Schema<FileModes> = (value, path) => {
  const read = readStoredModes(value);
  if (read) return read;
  throw new SchemaError(path, t('an object'), value);
};

function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return (value, path) => (value === null ? null : schema(value, path));
}

function byPath<T>(schema: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, t('an object'), value);
    const read = Object.entries(value).map(([name, each]) => [name, schema(each, fieldPath(path, name))] as const);
    return Object.fromEntries(read);
  };
}

const sides = byPath<StoredContent>(
  orNull(
    object<NonNullable<StoredContent>>({
      mode: enumOf('100644', '100755', '120000'),
      permissions: optional(number),
      blob: string,
    }),
  ),
);

/** A checkpoint as it is stored. Nothing of a damaged one is guessed: a missing copy would mean that the file did not exist. */
const checkpointSchema = object<Checkpoint>({
  id: string,
  sessionId: string,
  worktree: optional(string),
  entry: optional(number),
  at: number,
  recordedAt: optional(number),
  roots: list(object<RootTree>({ folder: string, tree: gitObjectId, modes: optional(modes) })),
  copies: sides,
  missed: optional(byPath(string)),
  unsaved: sides,
  ledger: string,
  leftOut: (value, path) => (value === undefined ? 0 : number(value, path)),
  notes: (value, path) => (value === undefined ? [] : list(string)(value, path)),
  restored: optional(byPath(orNull(string))),
  isOpen: optional(flag),
  isTurnOpen: optional(flag),
  isBeforeGap: optional(flag),
  restores: optional(string),
});

interface StoredList {
  readonly list: Checkpoint[];
  readonly starting: readonly string[];
  readonly isNewer: boolean;
  /** Some checkpoints are damaged, and are not in the list. */
  readonly isPartial: boolean;
}

/** Undefined for damaged content. */
function readList(value: unknown): StoredList | undefined {
  const json = asObject(value);
  const version = asNumber(json?.['parley']);
  if (version !== undefined && version > CHECKPOINTS_VERSION)
    return { list: [], starting: [], isNewer: true, isPartial: false };
  const checkpoints = json?.['checkpoints'];
  if (version !== CHECKPOINTS_VERSION || !Array.isArray(checkpoints)) return undefined;
  const read: Checkpoint[] = [];
  for (const each of checkpoints) {
    const parsed = tryParse(checkpointSchema, each);
    const before = 'value' in parsed ? undefined : read.pop();
    if ('value' in parsed) read.push(parsed.value);
    if (before) read.push({ ...before, isBeforeGap: true });
  }
  const starting = asArray(json?.['starting']).filter((id) => typeof id === 'string');
  return { list: read, starting, isNewer: false, isPartial: read.length < checkpoints.length };
}
