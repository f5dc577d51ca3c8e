import { randomUUID } from 'node:crypto';
import { MAX_OPEN_FILES, mapLimited } from '../../base/async';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { BlobStore } from '../storage/blobStore';
import type { FileContent } from '../storage/fileContent';
import type { ChangeTracker } from '../tracking/changeTracker';
import type { ModifiedFiles } from '../tracking/modifiedFiles';
import { writeContentRef, writeModifiedFiles } from '../tracking/reviewFile';
import type { ReviewScope } from '../tracking/reviewScope';
import type { WorkingFiles } from '../tracking/workingFiles';
import type { Checkpoint, StoredContent } from './checkpoint';
import type { CheckpointData } from './checkpointData';
import type { CheckpointStore } from './checkpointStore';

/** Paths of files without a copy that are stored in the list of checkpoints. */
const MAX_OMITTED = 1_000;
/** Milliseconds for recording files, the longest delay of a prompt. */
const SNAPSHOT_DEADLINE_MS = 10_000;

/**
 * Stores the current state of the files of a scope.
 * @param entry of the prompt; undefined before a restore
 * @param onDidRecord called when the agent may start
 */
export async function recordCheckpoint(
  { store, blobs, snapshots, clock }: CheckpointData,
  tracker: ChangeTracker,
  scope: ReviewScope,
  sessionId: string,
  entry: number | undefined,
  onDidRecord: () => void,
): Promise<Checkpoint> {
  const { modifiedFiles, files } = tracker;
  // A clock that was set back must not make it older than those before, and the user's older files no younger than it.
  const recordedAt = Math.max(Date.now(), await clock.stamp(), store.all().at(-1)?.at ?? 0);
  const [{ omitted, problems }, text, unsaved, disks] = await Promise.all([
    snapshots.record(AbortSignal.timeout(SNAPSHOT_DEADLINE_MS), scope.folders, recordedAt),
    writeModifiedFiles(modifiedFiles, blobs),
    unsavedTexts(files, blobs, scope),
    touchedContents(modifiedFiles, store, files, scope),
  ]);
  // A window that is killed from here on, before the checkpoint is stored, could not say that an agent has worked.
  if (entry !== undefined) await store.addStart(sessionId).catch(() => undefined);
  onDidRecord();
  const trees = await snapshots.trees(scope.folders);
  const covered = await snapshots.lookUp(disks.map(([path]) => path));
  const copies: Record<string, StoredContent> = {};
  for (const [path, disk] of disks) {
    if (!covered.has(path)) copies[path] = (await writeContentRef(disk, blobs)) as StoredContent;
  }
  const id = randomUUID();
  const notes = [...problems, ...omittedFilesNote(omitted, modifiedFiles)];
  const review = await blobs.put(Buffer.from(text));
  const leftOut = { leftOut: omitted.length, omitted: omitted.slice(0, MAX_OMITTED) };
  const content = { recordedAt, roots: trees, copies, unsaved, ledger: review, ...leftOut, notes };
  const of = omitUndefined({ worktree: scope.worktree, entry });
  const turn = entry !== undefined && ({ isTurnOpen: true } as const);
  const at = Math.max(await clock.stamp(), store.all().at(-1)?.at ?? 0);
  const checkpoint: Checkpoint = { id, sessionId, ...of, at, ...content, ...turn };
  await Promise.all(trees.map(({ folder, tree }) => snapshots.shadowRepository(folder).retain(id, tree)));
  await store.add(checkpoint);
  return checkpoint;
}

/**
 * Contents of files that no tree may cover: those under review, and those that an earlier checkpoint has a copy of, since the user may change
 * them without a notice.
 */
async function touchedContents(
  modifiedFiles: ModifiedFiles,
  store: CheckpointStore,
  files: WorkingFiles,
  scope: ReviewScope,
): Promise<(readonly [path: string, disk: FileContent | undefined])[]> {
  const copied = store.all().flatMap(({ copies }) => Object.keys(copies));
  const paths = [...new Set([...modifiedFiles.paths(), ...copied])].filter((path) => scope.has(path));
  const contents = await mapLimited(paths, MAX_OPEN_FILES, async (path) => {
    const found = await files.disk(path);
    const known = modifiedFiles.get(path);
    return found === 'unknown' ? known && ([path, known.disk] as const) : ([path, found] as const);
  });
  return contents.filter((each) => each !== undefined);
}

async function unsavedTexts(
  files: WorkingFiles,
  blobs: BlobStore,
  scope: ReviewScope,
): Promise<Record<string, StoredContent>> {
  const texts: Record<string, StoredContent> = {};
  for (const path of files.unsavedPaths().filter((one) => scope.has(one))) {
    texts[path] = (await writeContentRef(await files.readUnsaved(path), blobs)) as StoredContent;
  }
  return texts;
}

function omittedFilesNote(paths: readonly string[], { label }: ModifiedFiles): string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, 3).map(label).join(', ');
  return paths.length > 3
    ? [t('Left unchanged (too large or unreadable): {0} and {1} more', named, paths.length - 3)]
    : [t('Left unchanged (too large or unreadable): {0}', named)];
}
