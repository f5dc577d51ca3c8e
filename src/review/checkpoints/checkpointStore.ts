import { SerialQueue } from '../../base/async';
import { asArray, asNumber, asObject, asString, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { readStoredJson } from '../../node/fs/storedFile';
import { readStoredModes, writeModes } from '../git/fileModes';
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
    this.#list = stored?.list ?? [];
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
    await this.#save();
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

  async #save(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    await this.#queue.run(async () => {
      await writeFileAtomic(
        file,
        JSON.stringify({ parley: CHECKPOINTS_VERSION, checkpoints: this.#list.map(toStored) }),
      );
    });
  }
}

function toStored(checkpoint: Checkpoint): object {
  const roots = checkpoint.roots.map((root) => ({ ...root, modes: root.modes && writeModes(root.modes) }));
  return { ...checkpoint, roots };
}

/** Undefined for damaged content. */
function readList(value: unknown): { readonly list: Checkpoint[]; readonly isNewer: boolean } | undefined {
  const json = asObject(value);
  const version = asNumber(json?.['parley']);
  if (version !== undefined && version > CHECKPOINTS_VERSION) return { list: [], isNewer: true };
  const checkpoints = json?.['checkpoints'];
  if (version !== CHECKPOINTS_VERSION || !Array.isArray(checkpoints)) return undefined;
  return { list: checkpoints.flatMap((each) => readCheckpoint(each) ?? []), isNewer: false };
}

function readCheckpoint(value: unknown): Checkpoint | undefined {
  const json = asObject(value) ?? {};
  const [id, sessionId, ledger] = ['id', 'sessionId', 'ledger'].map((key) => asString(json[key]));
  const at = asNumber(json['at']);
  if (id === undefined || sessionId === undefined || ledger === undefined || at === undefined) return undefined;
  const roots = asArray(json['roots']).flatMap((root) => {
    const [folder, tree] = ['folder', 'tree'].map((key) => asString(asObject(root)?.[key]));
    const modes = readStoredModes(asObject(root)?.['modes']);
    return folder === undefined || tree === undefined ? [] : [{ folder, tree, ...omitUndefined({ modes }) }];
  });
  return {
    id,
    sessionId,
    ledger,
    at,
    roots,
    ...omitUndefined({
      worktree: asString(json['worktree']),
      entry: asNumber(json['entry']),
      recordedAt: asNumber(json['recordedAt']),
      restores: asString(json['restores']),
    }),
    copies: readSides(json['copies']),
    unsaved: readSides(json['unsaved']),
    leftOut: asNumber(json['leftOut']) ?? 0,
    notes: asArray(json['notes']).flatMap((note) => asString(note) ?? []),
    ...omitUndefined({ restored: readRestored(json['restored']), missed: readMissed(json['missed']) }),
    ...(json['isOpen'] === true && { isOpen: true }),
    ...(json['isTurnOpen'] === true && { isTurnOpen: true }),
  };
}

function readRestored(value: unknown): Record<string, string | null> | undefined {
  const marks = asObject(value);
  return marks && Object.fromEntries(Object.entries(marks).map(([path, mark]) => [path, asString(mark) ?? null]));
}

function readMissed(value: unknown): Record<string, string> | undefined {
  const reasons = asObject(value);
  return reasons && Object.fromEntries(Object.entries(reasons).map(([path, reason]) => [path, asString(reason) ?? '']));
}

function readSides(value: unknown): Record<string, StoredContent> {
  const sides: Record<string, StoredContent> = {};
  for (const [path, side] of Object.entries(asObject(value) ?? {})) {
    const [mode, blob] = ['mode', 'blob'].map((key) => asString(asObject(side)?.[key]));
    const permissions = asNumber(asObject(side)?.['permissions']);
    sides[path] = mode === undefined || blob === undefined ? null : { mode, blob, ...omitUndefined({ permissions }) };
  }
  return sides;
}
