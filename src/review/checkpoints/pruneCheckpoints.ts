import { errorMessage } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import type { Logger } from '../../base/logger';
import { isExpired } from '../../node/fs/storeClock';
import type { ModifiedFiles } from '../tracking/modifiedFiles';
import { writeModifiedFiles } from '../tracking/reviewFile';
import { blobsOf } from '../tracking/storedReview';
import type { Checkpoint } from './checkpoint';
import type { CheckpointData } from './checkpointData';
import type { CheckpointOwner } from './checkpointOwner';
import type { CheckpointStore } from './checkpointStore';

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/**
 * Deletes expired checkpoints, then the oldest while the size limit is exceeded, and everything only they needed. Stay: the last one of an
 * open session, and what a restore needs that has not ended.
 * @param signal cancels packing, which takes minutes in a large repository; the next run continues
 */
export async function pruneCheckpoints(
  data: CheckpointData,
  modifiedFiles: ModifiedFiles,
  owner: CheckpointOwner,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const { store } = data;
  const deleteAll = async (checkpoints: readonly Checkpoint[]): Promise<void> => {
    await drop(checkpoints, data, log);
    await collect(data, signal, log, () => neededBlobs(data, modifiedFiles, owner));
  };
  if (store.isKept) return;
  // Another window may use the same list.
  await store.refresh();
  const { maxAgeDays, maxSizeMB } = owner.checkpointLimits();
  const maxAge = maxAgeDays * DAY_MS;
  const exempt = neededCheckpoints(store, owner);
  const all = store.all().map((each) => ({ each, at: each.at, isExempt: exempt.has(each) }));
  const { now, waiting } = await data.clock.look(all, maxAge);
  if (waiting > 0) owner.reportPostponed(waiting);
  const expired = all.filter(({ at, isExempt }) => !isExempt && isExpired(at, now, maxAge));
  await deleteAll(expired.map(({ each }) => each));
  let bytes = await data.size();
  while (!signal.aborted && bytes > maxSizeMB * MIB) {
    const kept = neededCheckpoints(store, owner);
    const rest = store.all().filter((each) => !kept.has(each));
    if (rest.length === 0) break;
    await deleteAll(rest.slice(0, Math.ceil(rest.length / 4)));
    const remaining = await data.size();
    // Data younger than an hour is collected by a later run.
    if (remaining >= bytes) break;
    bytes = remaining;
  }
}

/**
 * The last checkpoint of each open session before a message, and before a restore. Also those of restores that a crash has cut off: the user
 * has not answered yet, and nothing else has the text that was replaced.
 */
function neededCheckpoints(store: CheckpointStore, owner: CheckpointOwner): ReadonlySet<Checkpoint> {
  const last = new Map<string, Checkpoint>();
  for (const each of store.all())
    if (owner.isOpen(each.sessionId)) last.set(`${each.entry === undefined} ${each.sessionId}`, each);
  const cutOff = store.all().filter((each) => each.isOpen);
  const targets = cutOff.flatMap(({ restores }) => (restores === undefined ? [] : (store.get(restores) ?? [])));
  return new Set([...last.values(), ...cutOff, ...targets]);
}

async function drop(
  checkpoints: readonly Checkpoint[],
  { store, snapshots }: CheckpointData,
  log: Logger,
): Promise<void> {
  if (checkpoints.length === 0) return;
  for (const folder of foldersOf(checkpoints)) {
    const ids = checkpoints.filter((each) => each.roots.some((root) => root.folder === folder)).map(({ id }) => id);
    // The folder's repository may no longer exist.
    await snapshots
      .shadowRepository(folder)
      .drop(ids)
      .catch((error: unknown) => log.info('review', `Failed to drop checkpoints of ${folder}: ${errorMessage(error)}`));
  }
  await store.replace(...withCopiesOf(checkpoints, store.all()));
  await store.remove(new Set(checkpoints.map(({ id }) => id)));
}

/** Checkpoints that stay before dropped ones, with their copies: a file is as at the first copy at or after a checkpoint. */
function withCopiesOf(dropped: readonly Checkpoint[], all: readonly Checkpoint[]): readonly Checkpoint[] {
  const isDropped = new Set(dropped);
  const heirs = new Map<string, Checkpoint>();
  let heir: Checkpoint | undefined;
  for (const each of all) {
    if (!isDropped.has(each)) heir = each;
    else if (heir) {
      const { copies, missed, isBeforeGap } = each;
      const gap = heir.isBeforeGap ?? isBeforeGap;
      // Nothing after a gap counts.
      if (heir.isBeforeGap !== true)
        heir = {
          ...heir,
          copies: { ...withoutKeys(copies, heir.missed), ...heir.copies },
          ...omitUndefined({
            missed: missed && { ...withoutKeys(missed, heir.copies), ...heir.missed },
            isBeforeGap: gap,
          }),
        };
      heirs.set(heir.id, heir);
    }
  }
  return [...heirs.values()];
}

function withoutKeys<T>(record: Readonly<Record<string, T>>, others: object = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !(key in others)));
}

/** Deletes what no checkpoint needs. */
async function collect(
  data: CheckpointData,
  signal: AbortSignal,
  log: Logger,
  needed: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  const { snapshots } = data;
  const folders = data.folders();
  await snapshots.removeUnused(folders);
  for (const folder of folders) {
    if (signal.aborted) return;
    await snapshots
      .shadowRepository(folder)
      .collect(signal)
      .catch((error: unknown) => log.info('review', `Failed to collect garbage in ${folder}: ${errorMessage(error)}`));
  }
  await data.blobs.retain(await needed());
}

function foldersOf(checkpoints: readonly Checkpoint[]): Set<string> {
  return new Set(checkpoints.flatMap((each) => each.roots.map(({ folder }) => folder)));
}

async function neededBlobs(
  { store, blobs }: CheckpointData,
  modifiedFiles: ModifiedFiles,
  owner: CheckpointOwner,
): Promise<Set<string>> {
  const needed = new Set(blobsOf(await writeModifiedFiles(modifiedFiles, blobs)));
  for (const id of blobsOf(await owner.storedReview())) needed.add(id);
  for (const { copies, unsaved, ledger: text } of store.all()) {
    needed.add(text);
    for (const id of blobsOf((await blobs.get(text))?.toString() ?? '')) needed.add(id);
    for (const side of [...Object.values(copies), ...Object.values(unsaved)]) if (side) needed.add(side.blob);
  }
  return needed;
}
