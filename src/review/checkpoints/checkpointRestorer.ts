// Protected by test/unit/review/lateUndo.test.ts: an undo of a restore keeps what was written since.
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { ChangeTracker } from '../tracking/changeTracker';
import type { ModifiedFile } from '../tracking/modifiedFiles';
import { writeContentRef } from '../tracking/reviewFile';
import type { ReviewScope } from '../tracking/reviewScope';
import { withHeir } from '../tracking/sessionShares';
import { readModifiedFiles } from '../tracking/storedReview';
import { withoutChange } from './checkpoint';
import type { Checkpoint, StoredContent } from './checkpoint';
import type { CheckpointData } from './checkpointData';
import type { CheckpointOwner } from './checkpointOwner';
import {
  changedSince,
  changeOf,
  contentKeysOf,
  planRestore,
  restoreReviewed,
  takesUnseen,
  withoutFiles,
} from './restorePlan';
import type { RestoreChange, RestorePlan, RestorePreview, RestoreResult } from './restorePlan';

/** A restore that a crash has cut off. */
interface StartedRestore {
  /** The checkpoint before it. */
  readonly undo: Checkpoint;
  /** What finishing it changes, as the user has agreed. */
  readonly changes: readonly RestoreChange[];
}

const NONE: ReadonlySet<string> = new Set();
const CHANGED_SINCE = t('The files have changed since they were restored.');
const MISSING = t('The checkpoint of this message is no longer available. Checkpoints are deleted by age and size.');

/** Restores checkpoints, one at a time. No method rejects; a checkpoint is undefined if it no longer exists. */
export class CheckpointRestorer {
  /** @param create creates a checkpoint of the current state */
  constructor(
    private readonly data: CheckpointData,
    private readonly tracker: ChangeTracker,
    private readonly owner: CheckpointOwner,
    private readonly create: (sessionId: string, scope: ReviewScope) => Promise<Checkpoint>,
    private readonly log: Logger,
  ) {}

  /** @param agreed what the user was shown: files that differ from it now are left, and named. All by default */
  async restore(
    checkpoint: Checkpoint | undefined,
    sessionId: string,
    agreed?: readonly RestoreChange[],
  ): Promise<RestoreResult> {
    const busy = this.owner.busyReason(checkpoint?.worktree);
    if (busy !== undefined || !checkpoint) return refusedRestore(busy ?? MISSING);
    return this.#goTo(checkpoint, sessionId, undefined, agreed);
  }

  async undo(undo: Checkpoint | undefined, agreed: readonly RestoreChange[]): Promise<RestoreResult> {
    const preview = await this.preview(undo);
    if (preview.type === 'unavailable' || !undo)
      return refusedRestore('message' in preview ? preview.message : MISSING);
    if (takesUnseen(preview.changes, agreed)) return refusedRestore(CHANGED_SINCE);
    return this.#goTo(undo, undo.sessionId);
  }

  async finish(undo: Checkpoint | undefined, agreed: readonly RestoreChange[]): Promise<RestoreResult> {
    const target = this.data.store.get(undo?.restores ?? '');
    const preview = await this.previewFinish(undo);
    if (preview.type === 'unavailable' || !undo || !target)
      return refusedRestore('message' in preview ? preview.message : MISSING);
    if (takesUnseen(preview.changes, agreed)) return refusedRestore(CHANGED_SINCE);
    return this.#goTo(target, undo.sessionId, { undo, changes: preview.changes });
  }

  async previewFinish(undo: Checkpoint | undefined): Promise<RestorePreview> {
    const { modifiedFiles } = this.tracker;
    const preview = await this.preview(this.data.store.get(undo?.restores ?? ''));
    if (preview.type === 'unavailable') return preview;
    const before = await this.preview(undo);
    if (before.type === 'unavailable') return before;
    // The others are as before the restore.
    const later = new Set(before.changes.filter(({ isLater }) => isLater).map(({ path }) => modifiedFiles.keyOf(path)));
    const changes = preview.changes.map(({ isLater: _isLater, ...change }) =>
      later.has(modifiedFiles.keyOf(change.path)) ? ({ ...change, isLater: true } as const) : change,
    );
    return { ...preview, changes };
  }

  async preview(checkpoint: Checkpoint | undefined): Promise<RestorePreview> {
    const busy = this.owner.busyReason(checkpoint?.worktree);
    if (busy !== undefined || !checkpoint) return { type: 'unavailable', message: busy ?? MISSING };
    try {
      const { files, skipped, notes } = await this.#plan(checkpoint);
      const changes = files.map((file) =>
        changeOf(file, this.tracker.modifiedFiles.label(file.path), checkpoint.restored),
      );
      return { type: 'ready', checkpointId: checkpoint.id, changes, skipped, notes };
    } catch (error) {
      return { type: 'unavailable', message: errorMessage(error) };
    }
  }

  async #goTo(
    checkpoint: Checkpoint,
    sessionId: string,
    started?: StartedRestore,
    agreed = started?.changes,
  ): Promise<RestoreResult> {
    const { tracker, log } = this;
    const { store } = this.data;
    let undo = started?.undo;
    // Its undo, which ends it.
    const cutOff = checkpoint.restores === undefined ? [] : [checkpoint];
    try {
      const scope = this.owner.scopes.ofWorktree(checkpoint.worktree);
      let open = (undo ??= await this.#startRestore(checkpoint, sessionId, scope));
      const { items: reviewed, unread } = await this.#reviewOf(checkpoint);
      const paths = [...tracker.modifiedFiles.paths(), ...(reviewed?.keys() ?? [])].filter((path) => scope.has(path));
      // Until the review is restored, the text of a file would be attributed to the user.
      const { plan, result } = await tracker.withFileLocks(paths, async () => {
        const kept = await this.#withoutUnseen(await this.#plan(checkpoint), open, agreed, started !== undefined);
        open = await this.#withCopies(kept, open);
        // A file whose review of that time cannot be read keeps the current one.
        const known = paths.filter((path) => !unread?.has(path));
        const items = reviewed && new Map(known.map((path) => [path, reviewed.get(path)]));
        return { plan: kept, result: await restoreReviewed(kept, tracker, items) };
      });
      const restored = { ...open.restored, ...contentKeysOf(plan, result.done) };
      // The files are restored, and the undo is kept in memory.
      const warn = (error: unknown): void => log.warn('review', `Failed to complete a restore: ${errorMessage(error)}`);
      await Promise.all(paths.map((path) => tracker.refreshFile(path).catch(warn)));
      // A file could not be written now, such as on a full disk. An undo can be repeated, and its message still offers it.
      const isPartial = result.done.length < plan.files.length;
      await this.#report(checkpoint, sessionId, open.id, isPartial).catch(warn);
      // The rest of one that a crash has cut off, or of its undo, is offered again at the next start.
      const ended = { ...(isPartial && started ? open : withoutChange(open)), restored };
      await store.replace(ended, ...(isPartial ? cutOff : [])).catch(warn);
      return { ...result, undoId: open.id, ...(isPartial && { isPartial }) };
    } catch (error) {
      log.warn('review', `Failed to restore a checkpoint: ${errorMessage(error)}`);
      // Nothing was changed. One that a crash has cut off is offered again.
      if (undo && !started) await store.replace(withoutChange(undo), ...cutOff).catch(() => undefined);
      return refusedRestore(errorMessage(error));
    }
  }

  /** The changes under review at that time. Forks of the session have them, too, like those that they were created with. */
  async #reviewOf(
    checkpoint: Checkpoint,
  ): Promise<Partial<NonNullable<Awaited<ReturnType<typeof readModifiedFiles>>>>> {
    const { blobs, store } = this.data;
    const { ledger, at, sessionId, from = sessionId } = checkpoint;
    const read = await readModifiedFiles(String((await blobs.get(ledger)) ?? ''), blobs);
    const heirs = store.all().flatMap((each) => (each.from === from && each.at === at ? each.sessionId : []));
    const withHeirs = (item: ModifiedFile): ModifiedFile => heirs.reduce((file, id) => withHeir(file, from, id), item);
    return read ? { ...read, items: new Map(Array.from(read.items, ([path, item]) => [path, withHeirs(item)])) } : {};
  }

  /** The files that the user agreed to. */
  async #withoutUnseen(
    planned: RestorePlan,
    open: Checkpoint,
    agreed: readonly RestoreChange[] | undefined,
    isStarted: boolean,
  ): Promise<RestorePlan> {
    const unseen = agreed ? changedSince(planned, agreed) : NONE;
    // After a crash, a file with another content is not from here.
    return withoutFiles(planned, isStarted ? unseen : new Set([...unseen, ...(await this.#notIn(open))]));
  }

  /** Stored with the files that the restore replaces and that no tree has: a file that an agent once changed, and that git ignores, is in neither. */
  async #withCopies(planned: RestorePlan, open: Checkpoint): Promise<Checkpoint> {
    const { snapshots, blobs, store } = this.data;
    const paths = planned.files.map(({ path }) => path).filter((path) => !(path in open.copies));
    const covered = await snapshots.lookUp(paths);
    const copies = { ...open.copies };
    for (const path of paths) {
      const disk = covered.has(path) ? 'unknown' : await this.tracker.files.disk(path);
      if (disk !== 'unknown') copies[path] = (await writeContentRef(disk, blobs)) as StoredContent;
    }
    const complete = { ...open, copies };
    await store.replace({ ...complete, restored: { ...open.restored, ...contentKeysOf(planned) } });
    return complete;
  }

  /** Files that were changed after a checkpoint was created: its undo would not bring them back. */
  async #notIn(checkpoint: Checkpoint): Promise<ReadonlySet<string>> {
    const { files } = await this.#plan(checkpoint);
    return new Set(files.map(({ path }) => path));
  }

  /** Creates the checkpoint that undoes a restore. It is open until the last file is restored, so that a crash is noticed. */
  async #startRestore(target: Checkpoint, sessionId: string, scope: ReviewScope): Promise<Checkpoint> {
    const created = await this.create(sessionId, scope);
    const undo: Checkpoint = { ...created, isOpen: true, restores: target.id };
    // One that a crash has cut off waits for the answer of the user, also after other restores, and ends with its undo.
    await this.data.store.replace(undo, ...(target.restores === undefined ? [] : [withoutChange(target)]));
    return undo;
  }

  #report({ id, entry }: Checkpoint, sessionId: string, undoId: string, isPartial: boolean): Promise<void> {
    return entry === undefined
      ? this.owner.recordUndo(sessionId, id, isPartial)
      : this.owner.recordRestore(sessionId, entry, undoId);
  }

  #plan(checkpoint: Checkpoint): Promise<RestorePlan> {
    return planRestore(checkpoint, this.data, this.tracker.files, this.owner.scopes.ofWorktree(checkpoint.worktree));
  }
}

function refusedRestore(message: string): RestoreResult {
  return { done: [], problems: [{ path: '', message }] };
}
