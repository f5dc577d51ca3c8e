// Protected by test/unit/review/skippedFiles.test.ts: a file that cannot be restored is named with its reason.
import { dirname, join, relative, sep } from 'node:path';
import { errorMessage, isCancellation } from '../../base/errors';
import { t } from '../../base/l10n';
import { innermostFolder, pathExists } from '../../node/fs/realPaths';
import { bitsIn } from '../git/fileModes';
import type { TreeFile } from '../git/treeFiles';
import type { RootTree, WorkspaceSnapshots } from '../git/workspaceSnapshots';
import type { BlobStore } from '../storage/blobStore';
import { createdBefore, includesGitignore } from '../storage/fileAge';
import { contentInTree } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { ReviewScope } from '../tracking/reviewScope';
import { readContentRef } from '../tracking/storedReview';
import type { WorkingFiles } from '../tracking/workingFiles';
import type { Checkpoint, StoredContent } from './checkpoint';
import type { CheckpointData } from './checkpointData';

/** The contents that a checkpoint has, of files that may differ now. */

const SNAPSHOT_TIMEOUT_MS = 60_000;

/**
 * Differences of git trees, and files with unsaved text.
 * @returns the folders of the checkpoint that cannot be compared now, absolute
 */
export async function fromTrees(
  checkpoint: Checkpoint,
  { snapshots }: CheckpointData,
  files: WorkingFiles,
  scope: ReviewScope,
  target: Map<string, FileContent | undefined>,
  notes: string[],
): Promise<readonly string[]> {
  if (checkpoint.roots.length === 0) return [];
  const unread: string[] = [];
  const now = await snapshots.snapshot(AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS), scope.folders);
  const omitted = new Set(now.omitted);
  const known = checkpoint.roots.map(folderOf);
  const parts = await partsOf(known, now.roots.map(folderOf));
  const present = now.roots.map(folderOf).filter((folder) => !parts.has(folder));
  const folders = [...known, ...present];
  for (const root of checkpoint.roots) {
    const { folder } = root;
    const all = await findDiffering(root, checkpoint, now.roots, snapshots);
    if (!all) unread.push(folder);
    const differing = all ?? (await findDifferingIn(parts, root, now.roots, snapshots));
    if (!differing) continue;
    const isInFolder = (path: string): boolean => rootOf(folders, path) === folder;
    const inEditors = [...files.unsavedPaths(), ...Object.keys(checkpoint.unsaved)].filter(isInFolder);
    const tooLarge = now.omitted.filter(isInFolder);
    const mayBeNow = tooLarge.length > 0 || includesGitignore(differing) || haveOuterRulesChanged(root, now.roots);
    const which = { differing, others: [...inEditors, ...tooLarge], mayBeNow };
    const { contents, wanted, leftOut } = await inTree(root, checkpoint, snapshots, which);
    for (const path of wanted) {
      const file = contents.get(path);
      if (file && !file.bytes) notes.push(t('{0} cannot be restored: Git no longer has its content', path));
      else if (!leftOut.has(path)) target.set(path, contentIn(root, path, file));
    }
    // A note of the checkpoint already counts the files that are still too large.
    const left = wanted.filter((path) => leftOut.has(path) && !omitted.has(path));
    notes.push(...left.map((path) => leftOutNote(path, checkpoint)));
  }
  const around = new Set(parts.values());
  notes.push(...unread.map((folder) => unreadNote(folder, around.has(folder))), ...newRepositoryNotes(known, present));
  return unread;
}

function haveOuterRulesChanged({ folder, rules }: RootTree, now: readonly RootTree[]): boolean {
  return rules !== undefined && rules !== now.find((root) => root.folder === folder)?.rules;
}

/**
 * The folders that are open now although that of the checkpoint around them is not: a part of what was recorded.
 * @returns by folder that of the checkpoint
 */
async function partsOf(known: readonly string[], present: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, string>();
  for (const folder of present) {
    const around = innermostFolder(known, folder);
    if (around === undefined || around === folder || innermostFolder(present, around) !== undefined) continue;
    if (!(await pathExists(join(folder, '.git')))) parts.set(folder, around);
  }
  return parts;
}

/**
 * The files that differ in the parts of a root. None in a part that was no folder, or that git ignored.
 * @returns undefined if no part is open
 */
async function findDifferingIn(
  parts: ReadonlyMap<string, string>,
  root: RootTree,
  now: readonly RootTree[],
  snapshots: WorkspaceSnapshots,
): Promise<readonly string[] | undefined> {
  const own = now.filter(({ folder }) => parts.get(folder) === root.folder);
  const paths: string[] = [];
  for (const part of own) {
    const present = snapshots.shadowRepository(part.folder);
    const place = `${root.prefix ?? ''}${relative(root.folder, part.folder).replaceAll(sep, '/')}/`;
    const before = { tree: root.tree, prefix: place };
    try {
      const found = await present.compare(before, part, snapshots.shadowRepository(root.folder));
      paths.push(...found.map(({ path }) => path));
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
  }
  return own.length === 0 ? undefined : paths;
}

/**
 * What a tree has of files.
 * @param which `others` may be ignored, without a note
 * @returns `leftOut` may have existed at that time although the tree does not have them
 */
async function inTree(
  root: RootTree,
  checkpoint: Checkpoint,
  snapshots: WorkspaceSnapshots,
  which: { readonly differing: readonly string[]; readonly others: readonly string[]; readonly mayBeNow: boolean },
): Promise<{
  readonly contents: ReadonlyMap<string, TreeFile>;
  readonly wanted: readonly string[];
  readonly leftOut: ReadonlySet<string>;
}> {
  const differing = new Set(which.differing);
  const paths = [...new Set([...differing, ...which.others])];
  const repository = snapshots.shadowRepository(root.folder);
  const contents = await repository.contents(root, paths);
  const isMissing = (path: string): boolean => !contents.has(path);
  // By the rules of that time: those of now are restored, too.
  const ignored = await repository.findIgnoredIn(root, paths.filter(isMissing));
  const wanted = paths.filter((path) => !ignored.has(path) || differing.has(path));
  const older = await findLeftOut(checkpoint, wanted.filter(isMissing), which.mayBeNow);
  return { contents, wanted, leftOut: new Set([...older, ...ignored]) };
}

/** The tree has no entry for files that did not exist yet, and none for files that were too large or ignored: those are named, or older. */
async function findLeftOut(
  { leftOut, omitted = [], recordedAt }: Checkpoint,
  missing: readonly string[],
  mayBeNow: boolean,
): Promise<ReadonlySet<string>> {
  const older = leftOut > 0 || mayBeNow ? await createdBefore(missing, recordedAt ?? 0) : [];
  return new Set([...older, ...missing.filter((path) => innermostFolder(omitted, path) !== undefined)]);
}

function leftOutNote(path: string, { omitted = [] }: Checkpoint): string {
  return innermostFolder(omitted, path) === undefined
    ? t('{0} is left unchanged: the checkpoint has no copy of it, as of files that Git ignored', path)
    : t('{0} is left unchanged: it was too large or could not be read when the checkpoint was created', path);
}

/** @param isPart a part of the folder was read */
function unreadNote(folder: string, isPart: boolean): string {
  return isPart
    ? t('The other files in {0} are left unchanged: they are not part of the workspace', folder)
    : t('{0} is left unchanged: it is not part of the workspace or could not be read', folder);
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
 * @returns undefined when the root cannot be read
 */
async function findDiffering(
  root: RootTree,
  checkpoint: Checkpoint,
  now: readonly RootTree[],
  snapshots: WorkspaceSnapshots,
): Promise<readonly string[] | undefined> {
  const { folder, modes } = root;
  const around = innermostFolder(now.map(folderOf), folder);
  const current = now.find((root) => root.folder === around);
  const isNested = around !== folder;
  if (!current || (isNested && (await pathExists(join(folder, '.git'))))) return undefined;
  const present = snapshots.shadowRepository(current.folder);
  const before = checkpoint.roots.find((root) => root.folder === around);
  let changed: readonly string[];
  try {
    changed = before
      ? (await present.compare(before, current)).map(({ path }) => path)
      : // The folder around it came to the workspace since.
        await present.paths(current);
  } catch (error) {
    if (isCancellation(error)) throw error;
    // The repository was deleted since, or git cannot read it now.
    return undefined;
  }
  const stored = isNested ? await snapshots.shadowRepository(folder).paths(root) : [];
  const ofMode = modes && !isNested ? await present.changedModes(modes) : [];
  const known = checkpoint.roots.map(folderOf);
  return [...stored, ...changed, ...ofMode].filter((path) => rootOf(known, path) === folder);
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

/**
 * Files without a tree: the first copy at or after the checkpoint is the file's state. A tree of the checkpoint wins over copies, which may be
 * of a later state.
 * @param unread folders of the checkpoint that cannot be compared now, absolute
 */
export async function fromCopies(
  checkpoint: Checkpoint,
  data: CheckpointData,
  unread: readonly string[],
  target: Map<string, FileContent | undefined>,
  notes: string[],
): Promise<void> {
  const { store, blobs } = data;
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
  const isUnread = (path: string): boolean => innermostFolder(unread, path) !== undefined;
  const others = [...copies.keys(), ...missed.keys()].filter(
    (path) => !target.has(path) && (path in checkpoint.copies || !isUnread(path)),
  );
  const covered = await coveredByTrees(
    checkpoint,
    data,
    others.filter((path) => !isUnread(path)),
  );
  for (const [path, content] of covered) target.set(path, content);
  for (const [path, reason] of missed)
    if (!target.has(path)) notes.push(t('{0} is left unchanged: its copy could not be stored ({1})', path, reason));
  for (const path of others) {
    const side = copies.get(path);
    if (target.has(path) || side === undefined) continue;
    const stored = await readCopy(path, side, blobs, notes);
    if (stored) target.set(path, stored.content);
  }
}

/**
 * The states of files by the trees of a checkpoint. Omits files that these do not have although they may have existed: ignored or too large at
 * that time, beyond a link, or in a repository without a tree.
 */
async function coveredByTrees(
  checkpoint: Checkpoint,
  { snapshots }: CheckpointData,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileContent | undefined>> {
  const found = new Map<string, FileContent | undefined>();
  const folders = checkpoint.roots.map(folderOf);
  for (const root of checkpoint.roots) {
    const own = paths.filter((path) => rootOf(folders, path) === root.folder);
    if (own.length === 0) continue;
    const repository = snapshots.shadowRepository(root.folder);
    const contents = await repository.contents(root, own);
    for (const [path, file] of contents) if (file.bytes) found.set(path, contentIn(root, path, file));
    const missing = checkpoint.leftOut > 0 ? [] : own.filter((path) => !contents.has(path));
    const ignored = await repository.findIgnoredIn(root, missing);
    const older = await createdBefore(missing, checkpoint.recordedAt ?? 0);
    for (const path of missing) {
      const isKnown = !ignored.has(path) && !older.has(path) && !(await isInRepository(root.folder, path));
      if (isKnown) found.set(path, undefined);
    }
  }
  return found;
}

/** Whether a folder between another one and a path is a repository. */
async function isInRepository(folder: string, path: string): Promise<boolean> {
  for (let at = dirname(path); at.length > folder.length; at = dirname(at))
    if (await pathExists(join(at, '.git'))) return true;
  return false;
}

/** Undefined when the copy cannot be had; a note says why. */
export async function readCopy(
  path: string,
  side: StoredContent,
  blobs: BlobStore,
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
