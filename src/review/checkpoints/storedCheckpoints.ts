import { asArray, asNumber, asObject, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { enumOf, fieldPath, list, object, optional, SchemaError, string, tryParse } from '../../base/schema';
import type { Schema } from '../../base/schema';
import { gitObjectId } from '../../node/gitObjectId';
import { readStoredModes } from '../git/fileModes';
import type { FileModes } from '../git/fileModes';
import type { RootTree } from '../git/workspaceSnapshots';
import type { Checkpoint, StoredContent } from './checkpoint';
import { CHECKPOINTS_VERSION } from './checkpoint';

/** Reads the list of checkpoints on disk. In a separate chunk: needed once in each window. */

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
  const starting = asArray(json?.['starting']).filter((id) => typeof id === 'string');
  return { list: read, starting, isNewer: false, isPartial: read.length < checkpoints.length };
}
