import { join } from 'node:path';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { createdBefore, includesGitignore } from '../storage/fileAge';
import { innermostFolder, pathExists } from '../../node/fs/realPaths';
import type { ShadowRepository, TreeFile } from '../git/shadowRepository';
import type { RootTree } from '../git/workspaceSnapshots';
import type { Checkpoint, StoredContent } from './checkpoint';
import { bitsIn } from '../git/fileModes';
import { contentInTree } from '../storage/fileContent';
import { readContentRef } from '../tracking/storedReview';
import type { ReviewScope, ReviewScopes } from '../tracking/reviewScope';
import type { RecordOptions } from './recordCheckpoint';
import type { FileContent } from '../storage/fileContent';

/** The contents that a checkpoint has, of files that may differ now. */

export interface RestoreOptions extends Pick<RecordOptions, 'store' | 'blobs' | 'snapshots' | 'files'> {
  readonly scopes: Pick<ReviewScopes, 'ofWorktree'>;
}

const SNAPSHOT_TIMEOUT_MS = 60_000;

/**
 * Differences of git trees, and files with unsaved text.
 * @returns the folders of the checkpoint that cannot be compared now, absolute
 */
export async function fromTrees(
  checkpoint: Checkpoint,
  { snapshots, files }: RestoreOptions,
  scope: ReviewScope,
  target: Map<string, FileContent | undefined>,
  notes: string[],
): Promise<readonly string[]> {
  if (checkpoint.roots.length === 0) return [];
  const unread: string[] = [];
  const now = await snapshots.snapshot(AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS), scope.folders);
  const omitted = new Set(now.omitted);
  const folders = [...checkpoint.roots, ...now.roots].map(folderOf);
  for (const root of checkpoint.roots) {
    const { folder } = root;
    const found = await findDiffering(root, checkpoint, now.roots, snapshots);
    if (!found) {
      unread.push(folder);
      continue;
    }
    const { differing, present } = found;
    const isInFolder = (path: string): boolean => rootOf(folders, path) === folder;
    const inEditors = [...files.unsavedPaths(), ...Object.keys(checkpoint.unsaved)].filter(isInFolder);
    const tooLarge = now.omitted.filter(isInFolder);
    const paths = [...new Set([...differing, ...inEditors, ...tooLarge])];
    const contents = await snapshots.shadowRepository(folder).contents(root.tree, paths);
    const ignored = await present.findIgnored(paths.filter((path) => !contents.has(path)));
    const wanted = paths.filter((path) => !ignored.has(path));
    const missing = wanted.filter((path) => !contents.has(path));
    const leftOut = await findLeftOut(checkpoint, missing, tooLarge.length > 0 || includesGitignore(differing));
    for (const path of wanted) {
      const file = contents.get(path);
      if (file && !file.bytes) notes.push(t('{0} cannot be restored: Git no longer has its content', path));
      else if (!leftOut.has(path)) target.set(path, contentIn(root, path, file));
      // A note of the checkpoint already counts the files that are still too large.
      else if (!omitted.has(path))
        notes.push(t('{0} is left unchanged: it was too large or ignored when the checkpoint was created', path));
    }
  }
  notes.push(...unread.map(unreadNote), ...newRepositoryNotes(checkpoint.roots.map(folderOf), now.roots.map(folderOf)));
  return unread;
}

/** The tree has no entry for files that did not exist yet, and none for files that were too large or ignored: those are older. */
async function findLeftOut(
  { leftOut, recordedAt }: Checkpoint,
  missing: readonly string[],
  mayBeNow: boolean,
): Promise<ReadonlySet<string>> {
  return leftOut > 0 || mayBeNow ? createdBefore(missing, recordedAt ?? 0) : new Set();
}

function unreadNote(folder: string): string {
  return t('{0} is left unchanged: it is not part of the workspace or could not be read', folder);
}

function contentIn({ folder, modes }: RootTree, path: string, file: TreeFile | undefined): FileContent | undefined {
  return file?.bytes && contentInTree(path, file.mode, file.bytes, bitsIn(modes, folder, path, file.mode));
}

/** @param known folders of the checkpoint */
function newRepositoryNotes(known: readonly string[], present: readonly string[]): string[] {
  const fresh = present.filter((folder) => !known.includes(folder) && innermostFolder(known, folder) !== undefined);
  return fresh.map((folder) =>
    t('New files in {0} are left unchanged: it became a Git repository after the checkpoint', folder),
  );
}

/**
 * The files of a root that may differ now. A nested repository that is none any more is a part of the folder around it.
 * @returns undefined when the root cannot be read; `present` has its files now
 */
async function findDiffering(
  { folder, tree, modes }: RootTree,
  checkpoint: Checkpoint,
  now: readonly RootTree[],
  snapshots: RestoreOptions['snapshots'],
): Promise<{ readonly differing: readonly string[]; readonly present: ShadowRepository } | undefined> {
  const around = innermostFolder(now.map(folderOf), folder);
  const current = now.find((root) => root.folder === around);
  const isNested = around !== folder;
  if (!current || (isNested && (await pathExists(join(folder, '.git'))))) return undefined;
  const present = snapshots.shadowRepository(current.folder);
  const before = checkpoint.roots.find((root) => root.folder === around);
  const changed = before ? (await present.compare(before.tree, current.tree)).map(({ path }) => path) : [];
  const stored = isNested ? await snapshots.shadowRepository(folder).paths(tree) : [];
  const ofMode = modes && !isNested ? await present.changedModes(modes) : [];
  const known = checkpoint.roots.map(folderOf);
  return {
    differing: [...stored, ...changed, ...ofMode].filter((path) => rootOf(known, path) === folder),
    present,
  };
}

/** The root that has a path. A file in the place of a nested repository belongs to the folder around it. */
function rootOf(folders: readonly string[], path: string): string | undefined {
  return innermostFolder(
    folders.filter((folder) => folder !== path),
    path,
  );
}

function folderOf({ folder }: RootTree): string {
  return folder;
}

/** Files without a tree: the first copy at or after the checkpoint is the file's state. */
export async function fromCopies(
  checkpoint: Checkpoint,
  { store, blobs }: RestoreOptions,
  target: Map<string, FileContent | undefined>,
  notes: string[],
): Promise<void> {
  const copies = new Map<string, StoredContent>();
  const missed = new Map<string, string>();
  const first = store.all().findIndex(({ id }) => id === checkpoint.id);
  for (const each of store.all().slice(first)) {
    for (const [path, side] of Object.entries(each.copies))
      if (!copies.has(path) && !missed.has(path)) copies.set(path, side);
    for (const [path, reason] of Object.entries(each.missed ?? {})) if (!copies.has(path)) missed.set(path, reason);
    if (each.isBeforeGap !== true) continue;
    notes.push(t('Some files that Git does not cover may be missing: a later checkpoint was damaged'));
    break;
  }
  for (const [path, reason] of missed)
    if (!target.has(path)) notes.push(t('{0} is left unchanged: its copy could not be stored ({1})', path, reason));
  for (const [path, side] of copies) {
    if (target.has(path)) continue;
    const stored = await readCopy(path, side, blobs, notes);
    if (stored) target.set(path, stored.content);
  }
}

/** Undefined when the copy cannot be had; a note says why. */
export async function readCopy(
  path: string,
  side: StoredContent,
  blobs: RestoreOptions['blobs'],
  notes: string[],
): Promise<{ readonly content: FileContent | undefined } | undefined> {
  try {
    const stored = await readContentRef(side, blobs);
    if (!stored) notes.push(t('{0} cannot be restored: its copy no longer exists', path));
    return stored;
  } catch (error) {
    notes.push(t('{0} cannot be restored: its copy cannot be read ({1})', path, errorMessage(error)));
    return undefined;
  }
}
