import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { Checkpoint } from './checkpointStore';
import { blobsOf, writeModifiedFiles } from '../tracking/reviewFile';
import type { RecordOptions } from './recordCheckpoint';

export interface PruneOptions extends Pick<RecordOptions, 'store' | 'blobs' | 'snapshots' | 'modifiedFiles' | 'now'> {
  readonly log: Logger;
  readonly limits: () => { readonly maxAgeDays: number; readonly maxSizeMB: number };
}

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/**
 * Deletes expired checkpoints, then the oldest while the size limit is exceeded, and everything only they needed.
 * @param size bytes of all checkpoints
 * @param signal cancels packing, which takes minutes in a large repository; the next run continues
 */
export async function pruneCheckpoints(
  options: PruneOptions,
  size: () => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  const { store, limits, now } = options;
  if (store.isKept) return;
  const { maxAgeDays, maxSizeMB } = limits();
  await drop(
    store.all().filter(({ at }) => now() - at > maxAgeDays * DAY_MS),
    options,
  );
  await collect(options, signal);
  let bytes = await size();
  while (!signal.aborted && store.all().length > 0 && bytes > maxSizeMB * MIB) {
    await drop(store.all().slice(0, Math.ceil(store.all().length / 4)), options);
    await collect(options, signal);
    const remaining = await size();
    // Data younger than an hour is collected by a later run.
    if (remaining >= bytes) break;
    bytes = remaining;
  }
}

async function drop(checkpoints: readonly Checkpoint[], { store, snapshots, log }: PruneOptions): Promise<void> {
  if (checkpoints.length === 0) return;
  for (const folder of foldersOf(checkpoints)) {
    const ids = checkpoints.filter((each) => each.roots.some((root) => root.folder === folder)).map(({ id }) => id);
    // The folder's repository may no longer exist.
    await snapshots
      .shadowRepository(folder)
      .drop(ids)
      .catch((error: unknown) => log.info('review', `Failed to drop checkpoints of ${folder}: ${errorMessage(error)}`));
  }
  await store.remove(new Set(checkpoints.map(({ id }) => id)));
}

async function collect(options: PruneOptions, signal: AbortSignal): Promise<void> {
  const { store, snapshots, blobs, log } = options;
  const folders = foldersOf(store.all());
  await snapshots.removeUnused(folders);
  for (const folder of folders) {
    if (signal.aborted) return;
    await snapshots
      .shadowRepository(folder)
      .collect(signal)
      .catch((error: unknown) => log.info('review', `Failed to collect garbage in ${folder}: ${errorMessage(error)}`));
  }
  await blobs.retain(await neededBlobs(options));
}

function foldersOf(checkpoints: readonly Checkpoint[]): Set<string> {
  return new Set(checkpoints.flatMap((each) => each.roots.map(({ folder }) => folder)));
}

async function neededBlobs({ store, blobs, modifiedFiles }: PruneOptions): Promise<Set<string>> {
  const needed = new Set(blobsOf(await writeModifiedFiles(modifiedFiles, blobs)));
  for (const { copies, unsaved, ledger: text } of store.all()) {
    needed.add(text);
    for (const id of blobsOf((await blobs.get(text))?.toString() ?? '')) needed.add(id);
    for (const side of [...Object.values(copies), ...Object.values(unsaved)]) if (side) needed.add(side.blob);
  }
  return needed;
}
