import { createDeferred } from '../../src/base/async';
import type { Deferred } from '../../src/base/async';
import { Lazy } from '../../src/base/lazy';
import { nullLogger } from '../../src/base/logger';
import type { FileContent } from '../../src/review/storage/fileContent';
import { TrackedReview } from '../../src/review/trackedReview';
import { AgentTurns } from '../../src/review/tracking/agentTurns';
import { ChangeTracker } from '../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../src/review/tracking/modifiedFiles';
import { ReviewScopes } from '../../src/review/tracking/reviewScope';
import type { ReviewPaths } from '../../src/review/tracking/reviewScope';
import type { Session } from '../../src/session/session';
import { emptySession } from '../../src/shared/state/sessionState';
import { stubOf } from '../kit/stubOf';
import { MemoryFiles } from '../unit/review/memoryFiles';
import { agentsIn, noOtherWriters } from '../unit/review/otherWork';

/** Settles when the schedule lets the caller go on. */
export type Pause = () => Promise<unknown>;
/** What a program makes of a file at the moment of its write. */
export type Change = (content: FileContent | undefined) => FileContent;

export const FOLDER = '/w';

/** Every access takes time: before it, and until its result is there. */
class SlowFiles extends MemoryFiles {
  readonly #pause: Pause;
  /** Saves that VS Code has begun, by path. */
  readonly saving = new Map<string, Deferred<void>>();

  constructor(pause: Pause) {
    super();
    this.#pause = pause;
  }

  override async saved(path: string): Promise<FileContent | undefined> {
    await this.saving.get(path)?.promise;
    return this.saves.get(path);
  }

  override disk(path: string): Promise<FileContent | undefined> {
    return this.#slowly(() => super.disk(path));
  }

  override lookUp(paths: readonly string[]): ReturnType<MemoryFiles['lookUp']> {
    return this.#slowly(() => super.lookUp(paths));
  }

  override changedPaths(): ReturnType<MemoryFiles['changedPaths']> {
    return this.#slowly(() => super.changedPaths());
  }

  override write(...write: Parameters<MemoryFiles['write']>): Promise<void> {
    return this.#slowly(() => super.write(...write));
  }

  async #slowly<T>(access: () => Promise<T>): Promise<T> {
    await this.#pause();
    const result = await access();
    await this.#pause();
    return result;
  }
}

/** The review of a window whose operations overlap, in memory. Between any two accesses anything else may happen. */
export class OverlapWorld {
  readonly files: SlowFiles;
  readonly modifiedFiles = new ModifiedFiles((path) => path.slice(FOLDER.length + 1), false);
  readonly tracker: ChangeTracker;
  readonly turns: AgentTurns;
  readonly review: TrackedReview;
  readonly #pause: Pause;
  /** What the watcher of the workspace has begun. */
  readonly #events: Promise<void>[] = [];
  /** Writes that it has not processed, by path. */

  constructor(pause: Pause) {
    this.#pause = pause;
    const files = (this.files = new SlowFiles(pause));
    const { modifiedFiles } = this;
    const agents = agentsIn(
      new ReviewScopes(() => [FOLDER]),
      new Lazy(async () => {
        await pause();
        return noOtherWriters;
      }),
    );
    this.tracker = new ChangeTracker(modifiedFiles, files, files, agents, nullLogger);
    const paths = stubOf<ReviewPaths>({ nameInside: async (path) => path });
    const recordStart = async (): Promise<void> => {
      await pause();
      files.takeSnapshot(agents.isWorking);
      await pause();
    };
    this.turns = new AgentTurns(
      agents,
      this.tracker,
      files,
      paths,
      { recordStart, recordEnd: async () => void (await pause()) },
      nullLogger,
    );
    this.review = new TrackedReview(modifiedFiles, this.tracker, files);
  }

  /** Settles when the agent may work. */
  async begin(session: string): Promise<void> {
    await this.turns.start(sessionOf(session), 0);
  }

  /** A program writes on disk. */
  async writes(path: string, change: Change): Promise<void> {
    await this.#pause();
    this.writesNow(path, change);
  }

  writesNow(path: string, change: Change): FileContent {
    const content = change(this.files.onDisk.get(path));
    this.#put(path, content);
    return content;
  }

  /** Parley writes for an agent, as at `fs/write_text_file`, or *Apply to File*. */
  edits(session: string, path: string, change: Change): Promise<void> {
    return this.tracker.runAgentEdit(session, path, async (note) => {
      await this.#pause();
      await this.files.saving.get(path)?.promise;
      const content = this.writesNow(path, change);
      note(path, { by: 'agent', content: Promise.resolve(content) });
      await this.#pause();
    });
  }

  /** The person saves in an editor, see `UserSaves` and `WorkspaceWatcher`. VS Code refuses it if the file was changed meanwhile. */
  async saves(path: string, change: Change): Promise<void> {
    const { files, modifiedFiles, tracker, turns } = this;
    const saving = createDeferred<void>();
    files.saving.set(path, saving);
    const replaced = files.onDisk.get(path);
    await this.#pause();
    const isRefused = files.onDisk.get(path) !== replaced;
    const content = isRefused ? undefined : { ...this.writesNow(path, change), replaced: { content: replaced } };
    if (content) await this.#pause();
    if (content) files.saves.set(path, content);
    files.saving.delete(path);
    saving.resolve();
    if (!content) return;
    if (modifiedFiles.get(path)) await tracker.refreshFile(path);
    else if (turns.agents.isBusy) await tracker.trackFile(path);
    if (files.saves.get(path) === content) files.saves.delete(path);
  }

  /** Until every change is processed. */
  async settle(): Promise<void> {
    for (let event = this.#events.pop(); event; event = this.#events.pop()) await event;
    await this.turns.idle();
    await this.tracker.refreshAll();
  }

  dispose(): void {
    this.review.dispose();
    this.modifiedFiles.dispose();
  }

  #put(path: string, content: FileContent): void {
    this.files.put(path, content);
    this.#events.push(this.#notice(path));
  }

  async #notice(path: string): Promise<void> {
    await this.#pause();
    if (this.modifiedFiles.get(path)) await this.tracker.refreshFile(path);
    else if (this.turns.agents.isWorking) await this.turns.scan();
  }
}

function sessionOf(id: string): Session {
  const state = { ...emptySession(id), turn: { status: 'running', startedAt: 0, firstEntry: 0 } as const };
  return stubOf<Session>({ id, folders: [FOLDER], state, isRemote: false, isReplay: false, diff: () => undefined });
}
