import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { createdBefore, includesGitignore } from './fileAge';
import { innermostFolder } from '../../node/fs/realPaths';
import type { Checkpoint, StoredContent } from './checkpointStore';
import { fileContentOf } from '../tracking/fileContent';
import type { ModifiedFile, ReviewProblem, ReviewResult } from '../tracking/modifiedFiles';
import { readContentRef } from '../tracking/reviewFile';
import type { ReviewScope, ReviewScopes } from '../tracking/reviewScope';
import type { WorkingFiles } from '../tracking/workingFiles';
import type { RecordOptions } from './recordCheckpoint';
import { isSameContent } from '../tracking/fileAttribution';
import type { FileContent } from '../tracking/fileContent';
import { contentKey } from '../tracking/turnChanges';

export interface RestoreChange {
  /** Absolute. */
  readonly path: string;
  readonly label: string;
  /** `created` restores a missing file, `deleted` removes it. */
  readonly status: 'created' | 'changed' | 'deleted';
  /** Unsaved text would be lost (undoing the restore recovers it). */
  readonly isUnsaved: boolean;
  /** Identifies the current content; undefined without a file. */
  readonly mark?: string;
  /** Changed after the restore that would be undone. */
  readonly isLater?: true;
}

export type RestorePreview =
  | {
      readonly type: 'ready';
      readonly checkpointId: string;
      readonly changes: readonly RestoreChange[];
      /** Files that differ and cannot be restored, with the reason. */
      readonly skipped: readonly ReviewProblem[];
      /** Sentences about what is not covered: large files, no git. */
      readonly notes: readonly string[];
    }
  /** Pruned or never created; `message` is for the user. */
  | { readonly type: 'unavailable'; readonly message: string };

export interface RestoreResult extends ReviewResult {
  /** Undefined when nothing was restored. */
  readonly undoId?: string;
}

interface RestoredFile {
  readonly path: string;
  /** Unsaved text takes precedence over the file. */
  readonly now: FileContent | undefined;
  readonly target: FileContent | undefined;
  /** Unsaved text at the time of the checkpoint, restored as unsaved text. */
  readonly targetUnsaved?: FileContent;
  readonly isUnsaved: boolean;
}

interface RestorePlan {
  readonly files: readonly RestoredFile[];
  /** Files that differ but stay unchanged, with the reason. */
  readonly skipped: readonly ReviewProblem[];
  /** Sentences about what is not covered. */
  readonly notes: readonly string[];
}

export interface RestoreOptions extends Pick<RecordOptions, 'store' | 'blobs' | 'snapshots' | 'files'> {
  readonly scopes: Pick<ReviewScopes, 'ofWorktree'>;
}

const SNAPSHOT_TIMEOUT_MS = 60_000;

export async function planRestore(checkpoint: Checkpoint, options: RestoreOptions): Promise<RestorePlan> {
  const { blobs, files: current, scopes } = options;
  const scope = scopes.ofWorktree(checkpoint.worktree);
  const notes = [...checkpoint.notes];
  const target = new Map<string, FileContent | undefined>();
  await fromTrees(checkpoint, options, scope, target, notes);
  await fromCopies(checkpoint, options, target, notes);
  const unsaved = new Map<string, FileContent>();
  for (const [path, side] of Object.entries(checkpoint.unsaved)) {
    const stored = await readCopy(path, side, blobs, notes);
    if (stored?.content) unsaved.set(path, stored.content);
  }
  const files: RestoredFile[] = [];
  const skipped: ReviewProblem[] = [];
  for (const [path, content] of target) {
    if (!scope.has(path)) continue;
    const file = await planFile(path, content, unsaved.get(path), current);
    if (file === 'unknown') skipped.push({ path, message: await current.unknownBecause(path) });
    else if (file) files.push(file);
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped, notes };
}

async function planFile(
  path: string,
  target: FileContent | undefined,
  targetUnsaved: FileContent | undefined,
  files: WorkingFiles,
): Promise<RestoredFile | 'unknown' | undefined> {
  const [disk, unsaved] = await Promise.all([files.disk(path), files.readUnsaved(path)]);
  if (disk === 'unknown') return disk;
  const now = unsaved ?? disk;
  const shown = targetUnsaved ?? target;
  if (isSameContent(disk, target) && now?.bytes === shown?.bytes) return undefined;
  const targetText = targetUnsaved && !isSameContent(targetUnsaved, target) ? { targetUnsaved } : {};
  return { path, now, target, ...targetText, isUnsaved: unsaved !== undefined };
}

/** Differences of git trees, and files with unsaved text. */
async function fromTrees(
  checkpoint: Checkpoint,
  { snapshots, files }: RestoreOptions,
  scope: ReviewScope,
  target: Map<string, FileContent | undefined>,
  notes: string[],
): Promise<void> {
  if (checkpoint.roots.length === 0) return;
  const now = await snapshots.snapshot(AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS), scope.folders);
  const omitted = new Set(now.omitted);
  const folders = [...checkpoint.roots, ...now.roots].map(({ folder }) => folder);
  for (const { folder, tree } of checkpoint.roots) {
    const current = now.roots.find((root) => root.folder === folder);
    if (!current) {
      notes.push(t('{0} is left unchanged: it is not part of the workspace or could not be read', folder));
      continue;
    }
    const shadowRepository = snapshots.shadowRepository(folder);
    const isInFolder = (path: string): boolean => innermostFolder(folders, path) === folder;
    const differing = (await shadowRepository.compare(tree, current.tree)).map(({ path }) => path);
    const inEditors = [...files.unsavedPaths(), ...Object.keys(checkpoint.unsaved)].filter(isInFolder);
    const tooLarge = now.omitted.filter(isInFolder);
    const paths = [...new Set([...differing, ...inEditors, ...tooLarge])];
    const contents = await shadowRepository.contents(tree, paths);
    const ignored = await shadowRepository.findIgnored(paths.filter((path) => !contents.has(path)));
    const wanted = paths.filter((path) => !ignored.has(path));
    const missing = wanted.filter((path) => !contents.has(path));
    // The tree has no entry for files that did not exist yet, and none for files that were too large or ignored: those are older.
    const mayBeLeftOut = checkpoint.leftOut + tooLarge.length > 0 || includesGitignore(differing);
    const leftOut = mayBeLeftOut ? await createdBefore(missing, checkpoint.recordedAt ?? 0) : new Set();
    for (const path of wanted) {
      const file = contents.get(path);
      if (file && !file.bytes) notes.push(t('{0} cannot be restored: Git no longer has its content', path));
      else if (!leftOut.has(path)) target.set(path, file?.bytes && fileContentOf(file.mode, file.bytes));
      // A note of the checkpoint already counts the files that are still too large.
      else if (!omitted.has(path))
        notes.push(t('{0} is left unchanged: it was too large or ignored when the checkpoint was created', path));
    }
  }
}

/** Files without a tree: the first copy at or after the checkpoint is the file's state. */
async function fromCopies(
  checkpoint: Checkpoint,
  { store, blobs }: RestoreOptions,
  target: Map<string, FileContent | undefined>,
  notes: string[],
): Promise<void> {
  const copies = new Map<string, StoredContent>();
  const first = store.all().findIndex(({ id }) => id === checkpoint.id);
  for (const each of store.all().slice(first)) {
    for (const [path, side] of Object.entries(each.copies)) if (!copies.has(path)) copies.set(path, side);
  }
  for (const [path, side] of copies) {
    if (target.has(path)) continue;
    const stored = await readCopy(path, side, blobs, notes);
    if (stored) target.set(path, stored.content);
  }
}

/** Undefined when the copy cannot be had; a note says why. */
async function readCopy(
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

/**
 * Orders files for writing. A file may replace a folder or the reverse, so deletions come first, innermost first.
 * @param files ordered by path
 * @param target the content to restore
 */
export function deletionsFirst<T>(files: readonly T[], target: (file: T) => FileContent | undefined): T[] {
  return [...files.filter((file) => !target(file)).toReversed(), ...files.filter((file) => target(file))];
}

/**
 * Restores files and their review. A file that could not be restored keeps its review.
 * @param items by path; undefined keeps the review of all files
 */
export async function restoreReviewed(
  checkpoint: Checkpoint,
  options: RestoreOptions & Pick<RecordOptions, 'modifiedFiles'>,
  items: ReadonlyMap<string, ModifiedFile | undefined> | undefined,
): Promise<{ readonly plan: RestorePlan; readonly result: ReviewResult }> {
  const plan = await planRestore(checkpoint, options);
  const result = await applyRestore(plan, options.files);
  const restored = new Set(result.done);
  const unrestored = new Set(result.problems.map(({ path }) => path).filter((path) => !restored.has(path)));
  for (const [path, item] of items ?? []) if (!unrestored.has(path)) options.modifiedFiles.set(path, item);
  return { plan, result };
}

/** Restores each file independently, so that one failure does not stop the others. */
async function applyRestore(
  plan: RestorePlan,
  files: WorkingFiles,
): Promise<{ readonly done: readonly string[]; readonly problems: readonly ReviewProblem[] }> {
  const done: string[] = [];
  const problems: ReviewProblem[] = [...plan.skipped];
  for (const file of deletionsFirst(plan.files, ({ target }) => target)) {
    try {
      await files.write(file.path, file.target, file.now, 'save');
      done.push(file.path);
      if (file.targetUnsaved) await files.writeUnsaved(file.path, file.targetUnsaved, file.target ?? file.now);
    } catch (error) {
      problems.push({ path: file.path, message: errorMessage(error) });
    }
  }
  return { done, problems };
}

/**
 * Display data of a restored file.
 * @param restored when undoing a restore: its marks
 */
export function changeOf(
  { path, now, target, isUnsaved }: RestoredFile,
  label: string,
  restored: Checkpoint['restored'],
): RestoreChange {
  const status = now ? (target ? 'changed' : 'deleted') : 'created';
  const mark = contentKey(now);
  const isLater = restored !== undefined && restored[path] !== (mark ?? null);
  return { path, label, status, isUnsaved, ...(mark !== undefined && { mark }), ...(isLater && { isLater: true }) };
}

/** Whether undoing a restore would lose later changes that the user has not confirmed to lose. */
export function takesUnseen(changes: readonly RestoreChange[], agreed: readonly RestoreChange[]): boolean {
  const isSeen = ({ path, mark }: RestoreChange): boolean =>
    agreed.some((change) => change.path === path && change.mark === mark);
  return changes.some((change) => change.isLater && !isSeen(change));
}

/** Marks of the files after a restore. */
export function contentKeysOf(plan: RestorePlan, done: readonly string[]): Record<string, string | null> {
  const changed = new Set(done);
  const files = plan.files.filter(({ path }) => changed.has(path));
  return Object.fromEntries(
    files.map(({ path, target, targetUnsaved }) => [path, contentKey(targetUnsaved ?? target) ?? null]),
  );
}
