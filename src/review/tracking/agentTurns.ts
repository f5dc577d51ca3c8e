import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SerialQueue } from '../../base/async';
import { StartTime } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { isInside } from '../../node/fs/realPaths';
import type { Session } from '../../session/session';
import type { ToolKind } from '../../shared/state/contentBlocks';
import type { Action } from '../../shared/state/sessionActions';
import type { ToolPatch } from '../../shared/state/toolCallState';
import type { FileContent } from '../storage/fileContent';
import type { ChangeTracker, DiskChange, Writer } from './changeTracker';
import type { ModifiedFiles } from './modifiedFiles';
import type { OtherWriters } from './otherWriters';
import type { ReviewScope, ReviewScopes, ReviewPaths } from './reviewScope';
import type { TurnBaseline } from './turnChanges';
import { captureTurnBaseline } from './turnChanges';
import type { TurnMoves } from './turnMoves';
import type { WorkingFiles } from './workingFiles';

interface TurnsOptions {
  readonly tracker: ChangeTracker;
  readonly modifiedFiles: ModifiedFiles;
  readonly files: WorkingFiles;
  readonly paths: ReviewPaths;
  readonly scopes: ReviewScopes;
  readonly log: Logger;
  /** Loads what tells other writers from the agents. */
  readonly loadWriters: () => Promise<OtherWriters>;
  /** Tells other windows that an agent works in the folders, until it is disposed. */
  readonly showWork?: (folders: readonly string[]) => Disposable;
  /** Whether an agent of another window works around a file. */
  readonly worksElsewhere?: (path: string) => boolean;
  /** Creates a checkpoint before a prompt. */
  readonly takeCheckpoint: (sessionId: string, entry: number) => Promise<void>;
  /**
   * All changes of a turn are processed. The agent counts as working until this settles.
   * @param entry index of its prompt
   * @param fromGit files that git brought, with their sources
   * @param byOthers files that another program changed
   */
  readonly onEnd: (
    sessionId: string,
    entry: number,
    before: TurnBaseline,
    fromGit: ReadonlyMap<string, string>,
    byOthers: ReadonlySet<string>,
  ) => Promise<void>;
}

interface Turn {
  readonly session: Session;
  /** Files that another program changed. */
  readonly byOthers: Set<string>;
  readonly start: StartTime;
  /** Files that the agent has reported, or written through Parley. */
  readonly reported: Set<string>;
  /** Index of its prompt. */
  readonly entry: number;
  readonly before: TurnBaseline;
  readonly moves: TurnMoves | undefined;
  readonly scope: ReviewScope;
  readonly sign: Disposable | undefined;
}

/** Tools that only read. */
const READING: ReadonlySet<ToolKind | undefined> = new Set<ToolKind>(['read', 'search', 'fetch', 'think']);
/** Reported files copied per turn; further ones are covered by the snapshot only. */
const MAX_REPORTED = 500;

/** Tracks which agents are working, and scans files before and after their turns. */
export class AgentTurns {
  readonly #working = new Map<string, Turn>();
  readonly #queue = new SerialQueue();
  /** The files of a turn that is being started. */
  #starting: ReviewScope | undefined;
  /** Loaded by the first turn. */
  #writers: OtherWriters | undefined;

  constructor(private readonly options: TurnsOptions) {}

  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  /** An agent works, or is about to. */
  get isBusy(): boolean {
    return this.isWorking || this.#starting !== undefined;
  }

  /** The sessions that changed a file: those that reported it, else all that are working. */
  sessionsWorkingOn(path: string): readonly string[] {
    const all = [...this.#working].filter(([, { scope }]) => scope.has(path));
    const reported = all.filter(([, turn]) => turn.reported.has(path));
    return (reported.length > 0 ? reported : all).map(([id]) => id);
  }

  /** Who made the last change of a file on disk, as far as is known. What an agent has named is the agent's. */
  async writerOf(path: string, change: DiskChange): Promise<Writer> {
    const turns = [...this.#working.values()].filter(({ scope }) => scope.has(path));
    if (turns.some(({ reported }) => reported.has(path))) return 'agent';
    const writer = (await this.#writers?.writerOf(path, change)) ?? 'agent';
    if (writer === 'other') for (const { byOthers } of turns) byOthers.add(path);
    if (writer !== 'agent' || turns.length === 0) return writer;
    const isRemote = turns.every(({ session }) => session.isRemote);
    return isRemote || this.options.worksElsewhere?.(path) === true ? 'unknown' : writer;
  }

  /** An agent's work may go on elsewhere while its process waits: on another computer, or in a tool call. */
  get hasOpenWork(): boolean {
    return [...this.#working.values()].some(({ session, entry }) => this.#writers?.hasOpenWork(session, entry) ?? true);
  }

  /** Whether an agent works in a git worktree, or in the workspace. */
  worksIn(worktree: string | undefined): boolean {
    return [...this.#working.values()].some(({ scope }) => scope.worktree === worktree);
  }

  /** As {@link worksIn}, also while a turn is being started. */
  isBusyIn(worktree: string | undefined): boolean {
    return (this.#starting !== undefined && this.#starting.worktree === worktree) || this.worksIn(worktree);
  }

  /** Records the files; the agent counts as working from now on. Never rejects. */
  start(session: Session, entry: number): Promise<void> {
    return this.#queue.run(async () => {
      const { tracker, log, takeCheckpoint, files, scopes } = this.options;
      this.#starting = scopes.ofSession(session.id);
      try {
        // Earlier changes belong to the other agents.
        if (this.isWorking) await tracker.scan('modes');
        else await tracker.forgetUnchanged();
        await takeCheckpoint(session.id, entry);
        const writers = (this.#writers ??= await this.options.loadWriters());
        // What was written since the checkpoint is the user's or the other agents', even if no file watcher has reported it yet.
        const [startMoves] = await Promise.all([
          writers.startMoves(),
          tracker.scan(this.isWorking ? 'modes' : undefined),
        ]);
        this.#start(session, entry, startMoves);
        const { scope } = this.#working.get(session.id) ?? {};
        const unsaved = files.unsavedPaths().filter((path) => scope?.has(path));
        await Promise.all(unsaved.map((path) => tracker.trackFile(path)));
      } catch (error) {
        log.warn('review', `Failed to record the start of a turn for review: ${errorMessage(error)}`);
        this.#start(session, entry);
      }
      this.#starting = undefined;
      // The turn may have been stopped during the recording.
      if (session.state.turn.status !== 'running') await this.#end(session.id);
    });
  }

  /** Scans for the agent's changes. Never rejects. */
  end(sessionId: string): Promise<void> {
    return this.#queue.run(() => this.#end(sessionId));
  }

  /** Scans for changes so far. Never rejects. */
  scan(): Promise<void> {
    return this.#queue.run(async () => {
      if (this.isWorking) await this.#scan();
    });
  }

  /** Settles when the changes of turns that have ended are recorded; at once while an agent works. */
  async settle(): Promise<void> {
    const isOver = [...this.#working.values()].every(({ session }) => session.state.turn.status !== 'running');
    if (isOver) await this.idle();
  }

  /** Settles when no scan is running. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** The agent writes these files through Parley. */
  recordWrites(sessionId: string, paths: readonly string[]): void {
    for (const path of paths) this.#working.get(sessionId)?.reported.add(path);
  }

  /** Copies files that the agent reports where no snapshot has them. */
  recordToolLocations(session: Session, action: Action): void {
    const turn = this.#working.get(session.id);
    const inner = unwrapAction(action);
    if (!turn || (inner.type !== 'toolStarted' && inner.type !== 'toolChanged')) return;
    for (const [path, diffId] of locationsOf(inner.patch)) {
      // A file outside the workspace may be a secret, so it is not copied.
      const isOwn = session.folders.some((folder) => isInside(folder, resolve(path)));
      if (!isOwn || turn.reported.has(path) || turn.reported.size >= MAX_REPORTED) continue;
      turn.reported.add(path);
      void this.#copy(session, turn, path, diffId);
    }
  }

  #start(session: Session, entry: number, startMoves?: (before: TurnBaseline) => TurnMoves): void {
    const before = captureTurnBaseline(this.options.modifiedFiles);
    const { scopes, showWork } = this.options;
    const scope = scopes.ofSession(session.id);
    const moves = startMoves?.(before);
    const [reported, byOthers] = [new Set<string>(), new Set<string>()];
    this.#working.get(session.id)?.sign?.dispose();
    const sign = showWork?.(scope.folders);
    const start = new StartTime();
    this.#working.set(session.id, { session, start, reported, byOthers, entry, before, moves, scope, sign });
    this.#writers?.activity.start();
  }

  async #end(sessionId: string): Promise<void> {
    const turn = this.#working.get(sessionId);
    if (!turn) return;
    const { onEnd, tracker, log } = this.options;
    await this.#scan(turn);
    try {
      await onEnd(sessionId, turn.entry, turn.before, turn.moves?.sources ?? new Map(), turn.byOthers);
    } catch (error) {
      log.warn('review', `Failed to record the end of a turn for review: ${errorMessage(error)}`);
    }
    // Otherwise Undo would be refused until the window is reloaded.
    this.#working.delete(sessionId);
    turn.sign?.dispose();
    if (this.isWorking) return;
    this.#writers?.activity.stop();
    await tracker.forgetUnchanged();
  }

  /** @param ending the turn that ends */
  async #scan(ending?: Turn): Promise<void> {
    const { tracker, log, modifiedFiles } = this.options;
    try {
      await tracker.scan(ending && 'modes');
      for (const turn of this.#working.values()) {
        const paths = modifiedFiles.paths().filter((path) => turn.scope.has(path));
        await turn.moves?.update(paths, (path) => turn.reported.has(path), turn === ending);
        if (turn === ending) await this.#clearDoubts(turn, paths);
      }
    } catch (error) {
      log.warn('review', `Failed to scan for changes: ${errorMessage(error)}`);
    }
  }

  /** An agent may name a file after it has changed it. */
  async #clearDoubts({ session, reported, entry }: Turn, paths: readonly string[]): Promise<void> {
    const { tracker, modifiedFiles } = this.options;
    const doubted = paths.filter((path) => modifiedFiles.get(path)?.isUnsure);
    if (doubted.length === 0) return;
    const isNamed = this.#writers?.namedFiles(session, entry);
    const named = doubted.filter((path) => reported.has(path) || isNamed?.(path));
    await Promise.all(named.map((path) => tracker.clearDoubt(path)));
  }

  async #copy(session: Session, turn: Turn, named: string, diffId: string | undefined): Promise<void> {
    const { tracker, log, paths } = this.options;
    try {
      const path = await paths.nameInside(named);
      if (path === undefined) return;
      turn.reported.add(path);
      await tracker.trackFile(path, () => this.#contentBefore(session, turn, path, diffId));
      await tracker.clearDoubt(path);
    } catch (error) {
      log.warn('review', `Failed to track ${named} for review: ${errorMessage(error)}`);
    }
  }

  async #contentBefore(
    session: Session,
    turn: Turn,
    path: string,
    diffId: string | undefined,
  ): Promise<{ readonly content: FileContent | undefined } | undefined> {
    const content = await this.options.files.disk(path);
    if (content === 'unknown') return undefined;
    // After the content: the agent may write in between.
    const info = await stat(path).catch(() => undefined);
    const isOld = !info || Math.max(info.mtimeMs, info.ctimeMs) < turn.start.earliest;
    const diff = diffId === undefined ? undefined : session.diff(diffId);
    if (isOld || !diff) return isOld ? { content } : undefined;
    return (await import('./contentBeforeDiff')).contentBeforeDiff(content, diff);
  }
}

function unwrapAction(action: Action): Action {
  return action.type === 'subagentActed' ? unwrapAction(action.action) : action;
}

function locationsOf(patch: ToolPatch): Map<string, string | undefined> {
  const locations = new Map<string, string | undefined>();
  if (!READING.has(patch.tool)) for (const { path } of patch.locations ?? []) locations.set(path, undefined);
  for (const part of patch.content ?? []) if (part.type === 'diff') locations.set(part.path, part.diffId);
  return locations;
}
