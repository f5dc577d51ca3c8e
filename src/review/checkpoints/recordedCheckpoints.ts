import { randomUUID } from 'node:crypto';
import { SerialQueue, createDeferred } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { CheckpointInfo } from '../../shared/state/reviewState';
import type { FileContent } from '../storage/fileContent';
import type { ChangeTracker } from '../tracking/changeTracker';
import { writeContentRef } from '../tracking/reviewFile';
import type { ReviewScope, ReviewScopes } from '../tracking/reviewScope';
import type { ChangeEnd, InterruptedChange } from './changeCheckpoint';
import type { Checkpoint, StoredContent } from './checkpoint';
import { isOpenElsewhere, withoutChange, withoutTurn } from './checkpoint';
import type { CheckpointData } from './checkpointData';
import type { CheckpointOwner } from './checkpointOwner';
import type { CheckpointRestorer } from './checkpointRestorer';
import type { RestoreChange, RestorePreview, RestoreResult } from './restorePlan';
import type { RecordedContents, UnseenChanges } from './unfinishedTurns';
import type { WorkspaceCheckpoints } from './workspaceCheckpoints';

const FIRST_PRUNE_DELAY_MS = 60_000;
const PRUNE_INTERVAL_MS = 3_600_000;

/** Records checkpoints as git trees and copies of files, and restores them one at a time. */
export class RecordedCheckpoints implements WorkspaceCheckpoints {
  readonly #queue = new SerialQueue();
  readonly #onDidChange = new Emitter<void>();
  /** By git worktree; undefined is the workspace. */
  readonly #coverage = new Map<string | undefined, 'workspace' | 'touched'>();
  #failure: string | undefined;
  /** Running and waiting ones. */
  #restores = 0;
  /** Aborts pruning, so that nothing waits for it. */
  #pruning: AbortController | undefined;

  /** Ids of cut-off changes and turns of earlier windows, which a later look compares again; undefined before the first look. */
  #interrupted: ReadonlySet<string> | undefined;
  #unfinished: ReadonlySet<string> | undefined;

  readonly onDidChange = this.#onDidChange.event;

  constructor(
    private readonly data: CheckpointData,
    readonly tracker: ChangeTracker,
    private readonly owner: CheckpointOwner,
    private readonly log: Logger,
  ) {
    tracker.onDidMissFile(({ path, content, waitUntil }) => waitUntil(this.#copy(path, content)));
  }

  /**
   * Creates a checkpoint for a prompt. Neither promise rejects. `recorded` settles within the deadline, after which the agent may start;
   * `done` settles with the stored checkpoint, or undefined.
   */
  create(
    sessionId: string,
    entry: number | undefined,
  ): { readonly recorded: Promise<void>; readonly done: Promise<Checkpoint | undefined> } {
    const recorded = createDeferred<void>();
    const done = this.#atOnce(async () => {
      try {
        const checkpoint = await this.#create(sessionId, entry, () => recorded.resolve());
        this.#failure = undefined;
        return checkpoint;
      } catch (error) {
        this.#failure = errorMessage(error);
        this.log.warn('review', `Failed to create a checkpoint: ${this.#failure}`);
        return undefined;
      } finally {
        recorded.resolve();
      }
    });
    return { recorded: recorded.promise, done };
  }

  get scopes(): ReviewScopes {
    return this.owner.scopes;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  /** Settles when every checkpoint is stored. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  coverage(sessionId: string): 'workspace' | 'touched' | undefined {
    return this.#coverage.get(this.owner.scopes.ofSession(sessionId).worktree);
  }

  notes(sessionId: string): readonly string[] {
    return this.data.store.all().findLast((each) => each.sessionId === sessionId)?.notes ?? [];
  }

  /** Files that the checkpoint of a prompt lacks because their copy could not be stored. */
  missed(sessionId: string, entry: number): readonly string[] {
    return Object.keys(this.#find(sessionId, entry)?.missed ?? {});
  }

  /**
   * Stores a file without a snapshot in the newest checkpoint, before an agent changes it. Settles when the copy is stored, or cannot be.
   * Never rejects.
   */
  #copy(path: string, content: FileContent | undefined): Promise<void> {
    // Queued after the checkpoint of the current prompt.
    const stored = this.#atOnce(() => this.#storeCopy(path, content));
    // The caller holds the lock of the file, for which the restore may wait.
    return this.#restores > 0 ? Promise.resolve() : stored;
  }

  async #storeCopy(path: string, content: FileContent | undefined): Promise<void> {
    const { store, blobs } = this.data;
    const { log } = this;
    const worktree = this.owner.scopes.worktreeAround(path);
    const newest = store.all().findLast((each) => each.worktree === worktree);
    if (!newest || path in newest.copies || path in (newest.missed ?? {})) return;
    let { copies } = newest;
    try {
      const side = (await writeContentRef(content, blobs)) as StoredContent;
      copies = { ...copies, [path]: side };
      await store.replace({ ...newest, copies });
    } catch (error) {
      log.warn('review', `Omitted ${path} from the checkpoint: ${errorMessage(error)}`);
      // A copy that only the list on disk lacks stays usable in this window.
      const missed = { ...newest.missed, [path]: errorMessage(error) };
      await store.replace({ ...newest, copies, missed }).catch(() => undefined);
    }
  }

  infosOf(sessionId: string): readonly CheckpointInfo[] {
    const own = this.data.store.all().filter((each) => each.sessionId === sessionId);
    return own.flatMap(({ id, entry, at, roots, leftOut }) => {
      if (entry === undefined) return [];
      return [{ entry, checkpointId: id, at, coverage: roots.length > 0 ? 'workspace' : 'touched', skipped: leftOut }];
    });
  }

  preview(sessionId: string, entry: number): Promise<RestorePreview> {
    return this.#withRestorer((restorer) => restorer.preview(this.#find(sessionId, entry)));
  }

  previewUndo(sessionId: string, undoId: string): Promise<RestorePreview> {
    return this.#withRestorer((restorer) => restorer.preview(this.#undoOf(sessionId, undoId)));
  }

  restore(sessionId: string, entry: number, agreed?: readonly RestoreChange[]): Promise<RestoreResult> {
    return this.#withRestorer((restorer) => restorer.restore(this.#find(sessionId, entry), sessionId, agreed));
  }

  undoRestore(sessionId: string, undoId: string, agreed: readonly RestoreChange[] = []): Promise<RestoreResult> {
    return this.#withRestorer((restorer) => restorer.undo(this.#undoOf(sessionId, undoId), agreed));
  }

  previewFinish(sessionId: string, undoId: string): Promise<RestorePreview> {
    return this.#withRestorer((restorer) => restorer.previewFinish(this.#undoOf(sessionId, undoId)));
  }

  finishRestore(sessionId: string, undoId: string, agreed: readonly RestoreChange[] = []): Promise<RestoreResult> {
    return this.#withRestorer((restorer) => restorer.finish(this.#undoOf(sessionId, undoId), agreed));
  }

  async leaveRestore(sessionId: string, undoId: string, text: string): Promise<void> {
    const { log } = this;
    await this.#atOnce(async () => {
      const undo = this.#undoOf(sessionId, undoId);
      if (!undo) return;
      await this.data.store.replace(withoutChange(undo));
      await this.owner.recordLeft(sessionId, text);
    }).catch((error: unknown) => log.warn('review', `Failed to end a restore: ${errorMessage(error)}`));
  }

  async around(sessionId: string, change: () => Promise<void>): Promise<string | undefined> {
    const { log } = this;
    const warn = (error: unknown): void =>
      log.warn('review', `Failed to record a change in a checkpoint: ${errorMessage(error)}`);
    const take = async (): Promise<string> => {
      const checkpoint = await this.#create(sessionId, undefined, undefined, this.owner.scopes.ofWorktree(undefined));
      await this.data.store.replace({ ...checkpoint, isOpen: true });
      return checkpoint.id;
    };
    const id = await this.#atOnce(take).catch(warn);
    await change();
    return id && (await this.#endChange(id, false).catch(warn)) === 'changed' ? id : undefined;
  }

  async endInterrupted(): Promise<readonly InterruptedChange[]> {
    const { log } = this;
    const { store } = this.data;
    const earlier = this.#interrupted;
    const open = store.all().filter((each) => each.isOpen && (earlier?.has(each.id) ?? !isOpenElsewhere(each)));
    this.#interrupted = new Set(open.map(({ id }) => id));
    if (open.length === 0) return [];
    const { endInterrupted } = await import('./changeCheckpoint');
    return endInterrupted(open, store, log, (id) => this.#endChange(id, true));
  }

  /** The turn of a session has ended, and its changes are recorded. Never rejects. */
  async endTurn(sessionId: string): Promise<void> {
    const { log } = this;
    const { store } = this.data;
    await this.#atOnce(async () => {
      const isOwn = (each: Checkpoint): boolean => this.#unfinished?.has(each.id) !== true && !isOpenElsewhere(each);
      const turns = store.all().filter((each) => each.isTurnOpen && each.sessionId === sessionId && isOwn(each));
      if (turns.length + store.takeStarts(sessionId).length > 0) await store.replace(...turns.map(withoutTurn));
    }).catch((error: unknown) => log.warn('review', `Failed to record the end of a turn: ${errorMessage(error)}`));
  }

  /**
   * See {@link endUnfinishedTurns}; for a new window, before its first turn. Later calls look again at those that could not be compared. Never
   * rejects.
   */
  async endUnfinishedTurns(recorded: RecordedContents): Promise<readonly UnseenChanges[]> {
    const { store } = this.data;
    const earlier = this.#unfinished;
    const isCutOff = (each: Checkpoint): boolean => earlier?.has(each.id) ?? !isOpenElsewhere(each);
    const turns = store.all().filter((each) => each.isTurnOpen && isCutOff(each));
    this.#unfinished = new Set(turns.map(({ id }) => id));
    // Later ones are of this window.
    const starts = earlier ? [] : store.takeStarts();
    if (turns.length + starts.length === 0) return [];
    const unrecorded = starts.map((sessionId) => ({ sessionId, paths: [], isUnrecorded: true }) as const);
    try {
      const { endUnfinishedTurns } = await import('./unfinishedTurns');
      return [
        ...unrecorded,
        ...(await this.#atOnce(() => endUnfinishedTurns(turns, this.data, this.tracker, this.owner.scopes, recorded))),
      ];
    } catch (error) {
      this.log.warn('review', `Failed to check an interrupted turn: ${errorMessage(error)}`);
      return [];
    }
  }

  /** Copies checkpoints before this entry to another session. Never rejects. */
  copyTo(from: string, to: string, before: number): Promise<void> {
    const { log } = this;
    const { store, snapshots } = this.data;
    const job = async (): Promise<void> => {
      const own = store.all().filter((each) => each.sessionId === from && (each.entry ?? before) < before);
      const copyOf = (each: Checkpoint): Checkpoint => {
        return { ...withoutTurn(each), id: randomUUID(), sessionId: to, from: each.from ?? from };
      };
      const copies = new Map(own.map((each) => [each.id, copyOf(each)]));
      for (const { id, roots: trees } of copies.values()) {
        // Git can write only one reference at a time.
        await Promise.all(trees.map(({ folder, tree }) => snapshots.shadowRepository(folder).retain(id, tree)));
      }
      await store.addCopies(copies);
      this.#onDidChange.fire();
    };
    return this.#queue.run(job).catch((error: unknown) => {
      log.warn('review', `Failed to copy the checkpoints of session ${from} to ${to}: ${errorMessage(error)}`);
    });
  }

  /** Prunes from now on. */
  startPruning(): Disposable {
    const first = setTimeout(() => void this.prune(), FIRST_PRUNE_DELAY_MS);
    const again = setInterval(() => void this.prune(), PRUNE_INTERVAL_MS);
    return {
      dispose: () => {
        clearTimeout(first);
        clearInterval(again);
      },
    };
  }

  /** Applies the age and size limits of the settings. */
  prune(): Promise<void> {
    const pruning = new AbortController();
    this.#pruning = pruning;
    const job = async (): Promise<void> => {
      const { pruneCheckpoints } = await import('./pruneCheckpoints');
      await pruneCheckpoints(this.data, this.tracker.modifiedFiles, this.owner, pruning.signal, this.log);
      this.#onDidChange.fire();
    };
    return this.#queue.run(job).catch((error: unknown) => {
      this.log.warn('review', `Failed to delete old checkpoints: ${errorMessage(error)}`);
    });
  }

  /** `bytes` on disk. */
  async size(): Promise<{ readonly count: number; readonly bytes: number }> {
    return { count: this.data.store.all().length, bytes: await this.data.size() };
  }

  /** Runs a job that the user waits for before background work. */
  #atOnce<T>(job: () => Promise<T>): Promise<T> {
    this.#pruning?.abort();
    // Its reason holds the call stack, with the session that the user works in.
    this.#pruning = undefined;
    return this.#queue.run(job);
  }

  async #withRestorer<T>(job: (restorer: CheckpointRestorer) => Promise<T>): Promise<T> {
    await this.owner.settle();
    this.#restores++;
    return this.#atOnce(async () => {
      const { CheckpointRestorer } = await import('./checkpointRestorer');
      const create = (id: string, scope: ReviewScope): Promise<Checkpoint> =>
        this.#create(id, undefined, undefined, scope);
      return job(new CheckpointRestorer(this.data, this.tracker, this.owner, create, this.log));
    }).finally(() => this.#restores--);
  }

  #endChange(id: string, isCutOff: boolean): Promise<ChangeEnd> {
    return this.#atOnce(async () => {
      const { endChange } = await import('./changeCheckpoint');
      return endChange(id, isCutOff, this.data, this.tracker.files, this.owner.scopes);
    });
  }

  async #create(
    id: string,
    entry?: number,
    recorded = (): void => undefined,
    scope = this.owner.scopes.ofSession(id),
  ): Promise<Checkpoint> {
    const { recordCheckpoint } = await import('./recordCheckpoint');
    const checkpoint = await recordCheckpoint(this.data, this.tracker, scope, id, entry, recorded);
    this.#coverage.set(checkpoint.worktree, checkpoint.roots.length > 0 ? 'workspace' : 'touched');
    this.#onDidChange.fire();
    return checkpoint;
  }

  #undoOf(sessionId: string, undoId: string): Checkpoint | undefined {
    const checkpoint = this.data.store.get(undoId);
    return checkpoint?.sessionId === sessionId ? checkpoint : undefined;
  }

  #find(sessionId: string, entry: number): Checkpoint | undefined {
    // The same prompt may have been sent again after a reload.
    return this.data.store.all().findLast((each) => each.sessionId === sessionId && each.entry === entry);
  }
}
