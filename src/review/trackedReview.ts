import { DelayedCall } from '../base/clock';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import type { ChangedLines, OpenChanges } from '../session/sessionCatalog';
import type { ChangeReview } from './changeReview';
import type { KeepAndUndo } from './keepAndUndo';
import { bytesOf } from './storage/fileContent';
import type { FileContent } from './storage/fileContent';
import type { ChangeTracker } from './tracking/changeTracker';
import type { ModifiedFiles, ReviewedFile, ReviewResult } from './tracking/modifiedFiles';
import { othersIn } from './tracking/sessionShares';
import type { WorkingFiles } from './tracking/workingFiles';

/** Milliseconds for which changes are merged. */
const MERGE_WINDOW_MS = 15;

/** The changes that the tracker has attributed to agents; `keepAndUndo.ts` has what Keep and Undo do with them. */
export class TrackedReview implements ChangeReview, OpenChanges, Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #subscription: Disposable;
  /** A step over a thousand files fires one change. */
  readonly #fireChange = new DelayedCall(MERGE_WINDOW_MS, () => this.#onDidChange.fire());

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  readonly #keepAndUndo: Lazy<KeepAndUndo>;

  constructor(
    readonly modifiedFiles: ModifiedFiles,
    tracker: ChangeTracker,
    workingFiles: WorkingFiles,
  ) {
    this.#keepAndUndo = new Lazy(async () => {
      const loaded = await import('./keepAndUndo');
      return new loaded.KeepAndUndo(modifiedFiles, tracker, workingFiles);
    });
    this.#subscription = modifiedFiles.onDidChange(() => this.#fireChange.schedule());
  }

  dispose(): void {
    this.#fireChange.dispose();
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  files(sessionId?: string): readonly ReviewedFile[] {
    const files = this.modifiedFiles.files();
    if (sessionId === undefined) return files;
    const own = files.filter(({ sessions }) => sessions.includes(sessionId));
    return own.map((file) => (file.shares ? Object.assign({}, file, file.shares.get(sessionId)) : file));
  }

  lineCounts(): ReadonlyMap<string, ChangedLines> {
    const counts = new Map<string, ChangedLines>();
    for (const file of this.modifiedFiles.files())
      for (const id of file.sessions) {
        const { added, removed } = file.shares?.get(id) ?? file;
        const sum = counts.get(id) ?? { added: 0, removed: 0 };
        counts.set(id, { added: sum.added + added, removed: sum.removed + removed });
      }
    return counts;
  }

  othersIn(path: string, sessionId: string, hunkId?: string): readonly string[] {
    const item = this.modifiedFiles.get(path);
    const hunk = hunkId === undefined ? undefined : this.file(path)?.hunks.find(({ id }) => id === hunkId);
    return item ? othersIn(item, sessionId, hunk) : [];
  }

  file(path: string): ReviewedFile | undefined {
    return this.modifiedFiles.file(path);
  }

  baseBytes(path: string, sessionId = ''): Uint8Array | undefined {
    const item = this.modifiedFiles.get(this.file(path)?.from ?? path);
    const base = item && (item.shares?.get(sessionId) ?? item.attribution).base;
    return base && bytesOf(base);
  }

  get canUndoLast(): boolean {
    return this.#keepAndUndo.value?.canUndoLast ?? false;
  }

  async keepHunk(path: string, hunkId: string): Promise<ReviewResult> {
    return (await this.#keepAndUndo.load()).keepHunk(path, hunkId);
  }

  async undoHunk(path: string, hunkId: string, only?: string): Promise<ReviewResult> {
    return (await this.#keepAndUndo.load()).undoHunk(path, hunkId, only);
  }

  keepFile(path: string): Promise<ReviewResult> {
    return this.keepFiles([path]);
  }

  undoFile(path: string, only?: string): Promise<ReviewResult> {
    return this.undoFiles([path], only);
  }

  keepAll(sessionId?: string): Promise<ReviewResult> {
    return this.keepFiles([...this.#pathsOf(sessionId), ...this.unreviewed(sessionId)]);
  }

  undoAll(sessionId?: string): Promise<ReviewResult> {
    return this.undoFiles([...this.#pathsOf(sessionId), ...this.unreviewed(sessionId)], sessionId);
  }

  unreviewed(sessionId?: string): readonly string[] {
    const all = [...this.modifiedFiles.unreviewed].filter(([path]) => !this.file(path));
    return all.flatMap(([path, sessions]) => (sessions.includes(sessionId ?? sessions[0] ?? '') ? [path] : []));
  }

  async keepFiles(paths: readonly string[]): Promise<ReviewResult> {
    return (await this.#keepAndUndo.load()).keepFiles(paths);
  }

  async undoFiles(paths: readonly string[], only?: string): Promise<ReviewResult> {
    return (await this.#keepAndUndo.load()).undoFiles(paths, only);
  }

  /** Keeps a file that the user has committed with this content, unless the file has changed since. */
  async keepCommitted(path: string, content: FileContent | undefined): Promise<void> {
    return (await this.#keepAndUndo.load()).keepCommitted(path, content);
  }

  async undoLast(): Promise<ReviewResult> {
    return (await this.#keepAndUndo.load()).undoLast();
  }

  async undoStep(number: number): Promise<ReviewResult | undefined> {
    return (await this.#keepAndUndo.load()).undoStep(number);
  }

  /** Clears the undo steps, after the review was replaced. */
  forgetSteps(): void {
    this.#keepAndUndo.value?.forgetSteps();
  }

  #pathsOf(sessionId: string | undefined): string[] {
    return this.files(sessionId).map(({ path }) => path);
  }
}
