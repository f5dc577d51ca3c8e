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
import type { ChangeTracker } from './changeTracker';
import type { ReviewPaths } from './reviewScope';
import type { TurnBaseline } from './turnChanges';
import { captureTurnBaseline } from './turnChanges';
import type { TurnMoves } from './turnMoves';
import type { WorkingAgent, WorkingAgents } from './workingAgents';
import type { WorkingFiles } from './workingFiles';

/** A turn whose changes are all processed. */
export interface EndedTurn {
  readonly sessionId: string;
  /** Index of its prompt. */
  readonly entry: number;
  readonly before: TurnBaseline;
  /** Files that git brought, with their sources. */
  readonly fromGit: ReadonlyMap<string, string>;
  /** Files that another program changed. */
  readonly byOthers: ReadonlySet<string>;
}

/** Stores what is known of turns. */
export interface TurnRecorder {
  /** Creates a checkpoint before a prompt. */
  recordStart(sessionId: string, entry: number): Promise<void>;
  /** The agent counts as working until this settles. */
  recordEnd(turn: EndedTurn): Promise<void>;
}

interface Turn {
  readonly agent: WorkingAgent;
  readonly start: StartTime;
  readonly before: TurnBaseline;
  readonly moves: TurnMoves | undefined;
  readonly sign: Disposable;
}

/** Tools that only read. */
const READING: ReadonlySet<ToolKind | undefined> = new Set<ToolKind>(['read', 'search', 'fetch', 'think']);
/** Reported files copied per turn; further ones are covered by the snapshot only. */
const MAX_REPORTED = 500;

/** Scans files before and after the turns of agents. */
export class AgentTurns {
  readonly #turns = new Map<string, Turn>();
  readonly #queue = new SerialQueue();

  constructor(
    readonly agents: WorkingAgents,
    private readonly tracker: ChangeTracker,
    private readonly files: WorkingFiles,
    private readonly paths: ReviewPaths,
    private readonly recorder: TurnRecorder,
    private readonly log: Logger,
  ) {}

  /** Records the files; the agent counts as working from now on. Never rejects. */
  start(session: Session, entry: number): Promise<void> {
    return this.#queue.run(async () => {
      const { tracker, agents } = this;
      agents.starting = agents.scopes.ofSession(session.id);
      try {
        // Earlier changes belong to the other agents.
        if (agents.isWorking) await tracker.scan('modes');
        else await tracker.forgetUnchanged();
        await this.recorder.recordStart(session.id, entry);
        const writers = await agents.writers.load();
        // What was written since the checkpoint is the user's or the other agents', even if no file watcher has reported it yet.
        const [startMoves] = await Promise.all([
          writers.startMoves(tracker),
          tracker.scan(agents.isWorking ? 'modes' : undefined),
        ]);
        const { scope } = this.#start(session, entry, startMoves);
        const unsaved = this.files.unsavedPaths().filter((path) => scope.has(path));
        await Promise.all(unsaved.map((path) => tracker.trackFile(path)));
      } catch (error) {
        this.log.warn('review', `Failed to record the start of a turn for review: ${errorMessage(error)}`);
        this.#start(session, entry);
      }
      agents.starting = undefined;
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
      if (this.agents.isWorking) await this.#scan();
    });
  }

  /** Settles when the changes of turns that have ended are recorded; at once while an agent works. */
  async settle(): Promise<void> {
    const isOver = this.agents.all().every(({ session }) => session.state.turn.status !== 'running');
    if (isOver) await this.idle();
  }

  /** Settles when no scan is running. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** The agent writes these files through Parley. */
  recordWrites(sessionId: string, paths: readonly string[]): void {
    for (const path of paths) this.agents.get(sessionId)?.reported.add(path);
  }

  /** Copies files that the agent reports where no snapshot has them. */
  recordToolLocations(session: Session, action: Action): void {
    const turn = this.#turns.get(session.id);
    const inner = unwrapAction(action);
    if (!turn || (inner.type !== 'toolStarted' && inner.type !== 'toolChanged')) return;
    for (const [path, diffId] of locationsOf(inner.patch)) {
      // A file outside the workspace may be a secret, so it is not copied.
      const isOwn = session.folders.some((folder) => isInside(folder, resolve(path)));
      const { reported } = turn.agent;
      if (!isOwn || reported.has(path) || reported.size >= MAX_REPORTED) continue;
      reported.add(path);
      void this.#copy(session, turn, path, diffId);
    }
  }

  #start(session: Session, entry: number, startMoves?: (before: TurnBaseline) => TurnMoves): WorkingAgent {
    const before = captureTurnBaseline(this.tracker.modifiedFiles);
    const moves = startMoves?.(before);
    this.#turns.get(session.id)?.sign.dispose();
    const agent = this.agents.add(session, entry);
    const sign = this.agents.windows.show(agent.scope.folders);
    this.#turns.set(session.id, { agent, start: new StartTime(), before, moves, sign });
    this.agents.writers.value?.activity.start();
    return agent;
  }

  async #end(sessionId: string): Promise<void> {
    const turn = this.#turns.get(sessionId);
    if (!turn) return;
    const { agents, log } = this;
    const { before, moves, agent } = turn;
    await this.#scan(turn);
    try {
      const { entry, byOthers } = agent;
      await this.recorder.recordEnd({ sessionId, entry, before, fromGit: moves?.sources ?? new Map(), byOthers });
    } catch (error) {
      log.warn('review', `Failed to record the end of a turn for review: ${errorMessage(error)}`);
    }
    // Otherwise Undo would be refused until the window is reloaded.
    this.#turns.delete(sessionId);
    agents.delete(sessionId);
    turn.sign.dispose();
    if (agents.isWorking) return;
    agents.writers.value?.activity.stop();
    await this.tracker.forgetUnchanged();
  }

  /** @param ending the turn that ends */
  async #scan(ending?: Turn): Promise<void> {
    const { tracker, log } = this;
    try {
      await tracker.scan(ending && 'modes');
      for (const turn of this.#turns.values()) {
        const { agent, moves } = turn;
        const paths = tracker.modifiedFiles.paths().filter((path) => agent.scope.has(path));
        await moves?.update(paths, (path) => agent.reported.has(path), turn === ending);
        if (turn === ending) await this.#clearDoubts(agent, paths);
      }
    } catch (error) {
      log.warn('review', `Failed to scan for changes: ${errorMessage(error)}`);
    }
  }

  /** An agent may name a file after it has changed it. */
  async #clearDoubts({ session, reported, entry }: WorkingAgent, paths: readonly string[]): Promise<void> {
    const { tracker } = this;
    const doubted = paths.filter((path) => tracker.modifiedFiles.get(path)?.isUnsure);
    if (doubted.length === 0) return;
    const isNamed = this.agents.writers.value?.namedFiles(session, entry);
    const named = doubted.filter((path) => reported.has(path) || isNamed?.(path));
    await Promise.all(named.map((path) => tracker.clearDoubt(path)));
  }

  async #copy(session: Session, turn: Turn, named: string, diffId: string | undefined): Promise<void> {
    const { tracker, log, paths } = this;
    try {
      const path = await paths.nameInside(named);
      if (path === undefined) return;
      turn.agent.reported.add(path);
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
    const content = await this.files.disk(path);
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
