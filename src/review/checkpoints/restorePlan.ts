// Protected by test/unit/review/checkpoints/restoreOrders.test.ts: restores in any order bring back each file.
import { errorMessage } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { deletionsFirst, isSameContent } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { ChangeTracker } from '../tracking/changeTracker';
import type { ModifiedFile, ReviewProblem, ReviewResult } from '../tracking/modifiedFiles';
import type { ReviewScope } from '../tracking/reviewScope';
import { contentKey } from '../tracking/turnChanges';
import type { WorkingFiles } from '../tracking/workingFiles';
import type { Checkpoint } from './checkpoint';
import type { CheckpointData } from './checkpointData';
import { fromCopies, fromTrees, readCopy } from './restoreTargets';

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
  /** Identifies the content that is restored; undefined without a file. */
  readonly target?: string;
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
  /** A file of the plan could not be written: another try may do it. */
  readonly isPartial?: boolean;
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

export interface RestorePlan {
  readonly files: readonly RestoredFile[];
  /** Absolute paths of folders that cannot be compared now, so that more files may differ. */
  readonly unread: readonly string[];
  /** Files that differ but stay unchanged, with the reason. */
  readonly skipped: readonly ReviewProblem[];
  /** Sentences about what is not covered. */
  readonly notes: readonly string[];
}

/** @param scope of the checkpoint */
export async function planRestore(
  checkpoint: Checkpoint,
  data: CheckpointData,
  current: WorkingFiles,
  scope: ReviewScope,
): Promise<RestorePlan> {
  const notes = [...checkpoint.notes];
  const target = new Map<string, FileContent | undefined>();
  const unread = await fromTrees(checkpoint, data, current, scope, target, notes);
  await fromCopies(checkpoint, data, unread, target, notes);
  const unsaved = new Map<string, FileContent>();
  for (const [path, side] of Object.entries(checkpoint.unsaved)) {
    const stored = await readCopy(path, side, data.blobs, notes);
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
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), unread, skipped, notes };
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

/**
 * Restores files and their review. A file that could not be restored keeps its review.
 * @param items by path; undefined keeps the review of all files
 */
export async function restoreReviewed(
  plan: RestorePlan,
  { files, modifiedFiles }: ChangeTracker,
  items: ReadonlyMap<string, ModifiedFile | undefined> | undefined,
): Promise<ReviewResult> {
  const result = await applyRestore(plan, files);
  const restored = new Set(result.done);
  const unrestored = new Set(result.problems.map(({ path }) => path).filter((path) => !restored.has(path)));
  for (const [path, item] of items ?? []) if (!unrestored.has(path)) modifiedFiles.set(path, item);
  return result;
}

const CHANGED = t('The file has changed in the meantime. Try again.');

/** The plan without these files, which stay unchanged. */
export function withoutFiles(plan: RestorePlan, paths: ReadonlySet<string>): RestorePlan {
  const left = plan.files.filter(({ path }) => paths.has(path)).map(({ path }) => ({ path, message: CHANGED }));
  const files = plan.files.filter(({ path }) => !paths.has(path));
  return { ...plan, files, skipped: [...plan.skipped, ...left] };
}

/** Files whose content is not the one in an earlier preview. */
export function changedSince({ files }: RestorePlan, preview: readonly RestoreChange[]): ReadonlySet<string> {
  const seen = new Map(preview.map(({ path, mark }) => [path, mark]));
  const changed = files.filter(({ path, now }) => !seen.has(path) || seen.get(path) !== contentKey(now));
  return new Set(changed.map(({ path }) => path));
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
  { path, now, target, targetUnsaved, isUnsaved }: RestoredFile,
  label: string,
  restored: Checkpoint['restored'],
): RestoreChange {
  const status = now ? (target ? 'changed' : 'deleted') : 'created';
  const mark = contentKey(now);
  const isLater = restored !== undefined && restored[path] !== (mark ?? null);
  const marks = omitUndefined({ mark, target: contentKey(targetUnsaved ?? target) });
  return { path, label, status, isUnsaved, ...marks, ...(isLater && { isLater: true }) };
}

/** Whether undoing a restore would lose later changes that the user has not confirmed to lose. */
export function takesUnseen(changes: readonly RestoreChange[], agreed: readonly RestoreChange[]): boolean {
  const isSeen = ({ path, mark }: RestoreChange): boolean =>
    agreed.some((change) => change.path === path && change.mark === mark);
  return changes.some((change) => change.isLater && !isSeen(change));
}

/** Marks of the files after a restore. @param done the restored files; all by default */
export function contentKeysOf(
  plan: RestorePlan,
  done: readonly string[] = plan.files.map(({ path }) => path),
): Record<string, string | null> {
  const changed = new Set(done);
  const files = plan.files.filter(({ path }) => changed.has(path));
  return Object.fromEntries(
    files.map(({ path, target, targetUnsaved }) => [path, contentKey(targetUnsaved ?? target) ?? null]),
  );
}
