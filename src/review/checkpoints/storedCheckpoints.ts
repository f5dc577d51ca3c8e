import { asArray, asNumber, asObject, asString, parseJson } from '../../base/json';
import { t } from '../../base/l10n';
import { enumOf, list, object, optional, recordOf, SchemaError, string, tryParse } from '../../base/schema';
import type { Schema } from '../../base/schema';
import { gitObjectId } from '../../node/gitObjectId';
import { readStoredModes } from '../git/fileModes';
import type { FileModes } from '../git/fileModes';
import type { RootTree } from '../git/workspaceSnapshots';
import type { Checkpoint, StartedTurn, StoredContent } from './checkpoint';
import { CHECKPOINTS_VERSION, isOpenElsewhere } from './checkpoint';

/** Reads the list of checkpoints on disk. In a separate chunk: needed once in each window, and when another window has written the list. */

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

const sides = recordOf<StoredContent>(
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
  from: optional(string),
  worktree: optional(string),
  entry: optional(number),
  at: number,
  recordedAt: optional(number),
  roots: list(
    object<RootTree>({
      folder: string,
      tree: gitObjectId,
      prefix: optional(string),
      rules: optional(string),
      modes: optional(modes),
    }),
  ),
  copies: sides,
  missed: optional(recordOf(string)),
  unsaved: sides,
  ledger: string,
  leftOut: (value, path) => (value === undefined ? 0 : number(value, path)),
  omitted: optional(list(string)),
  notes: (value, path) => (value === undefined ? [] : list(string)(value, path)),
  restored: optional(recordOf(orNull(string))),
  isOpen: optional(flag),
  isTurnOpen: optional(flag),
  window: optional(string),
  isBeforeGap: optional(flag),
  restores: optional(string),
});

interface CheckpointList {
  readonly list: readonly Checkpoint[];
  readonly starting: readonly StartedTurn[];
}

interface StoredList extends CheckpointList {
  readonly isNewer: boolean;
  /** Some checkpoints are damaged, and are not in the list. */
  readonly isPartial: boolean;
}

/** Undefined for damaged content. */
export function readList(value: unknown): StoredList | undefined {
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
  const starting = asArray(json?.['starting']).map(startedTurn);
  return { list: read, starting, isNewer: false, isPartial: read.length < checkpoints.length };
}

/** Older versions of Parley store the session only. */
function startedTurn(value: unknown): StartedTurn {
  const { sessionId = value, window, at } = asObject(value) ?? {};
  return { sessionId: asString(sessionId) ?? '', window: asString(window) ?? '', at: asNumber(at) ?? 0 };
}

/**
 * Adds what other windows have written to the list of this one.
 * @param text a damaged list has nothing to add: it is written anew
 * @param own ids of those that this window has added or changed, `removed` of those that it has removed
 */
export function withOthers(
  text: string,
  mine: CheckpointList,
  own: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): CheckpointList {
  const stored = readList(parseJson(text));
  if (!stored || stored.isNewer) return mine;
  const byId = new Map(mine.list.map((each) => [each.id, each]));
  const there = new Set(stored.list.map(({ id }) => id));
  const kept = stored.list.filter(({ id }) => !removed.has(id));
  const merged = kept.map((each) => (own.has(each.id) ? (byId.get(each.id) ?? each) : each));
  const starting = [
    ...stored.starting.filter(isOpenElsewhere),
    ...mine.starting.filter((each) => !isOpenElsewhere(each)),
  ];
  return { list: [...merged, ...mine.list.filter(({ id }) => !there.has(id))], starting };
}
