import { settlesWithin } from '../../../base/async';
import type { Disposable } from '../../../base/lifecycle';
import { ToolError } from '../../toolServerTypes';
import { HandleStore } from './handleStore';

/** Milliseconds that tests and tasks may run. */
export const RUN_LIMIT = 600_000;
/** Milliseconds that a call waits for the end where the caller does not say: agents give up after a minute. */
export const RUN_WAIT = 45_000;
/** Runs of one session at the same time. */
const MAX_RUNNING = 8;
/** Milliseconds for which a run can be asked about. */
const KEPT = 3_600_000;

/** Something that was started and goes on by itself. */
export interface Running<T> {
  /** Never rejects. */
  readonly done: Promise<T>;
  /** The end of what it has printed; undefined where that cannot be known. */
  output(): string | undefined;
  stop(): void;
}

/** A run that a session has started, by a handle. */
export interface Run<T> {
  readonly id: string;
  /** Undefined while it runs. */
  readonly result: T | undefined;
  /** It was stopped because it took too long. */
  readonly isOverTime: boolean;
  output(): string | undefined;
}

class KeptRun<T> implements Run<T> {
  readonly sessionId: string;
  readonly running: Running<T>;
  id = '';
  result: T | undefined;
  isOverTime = false;

  constructor(sessionId: string, running: Running<T>) {
    this.sessionId = sessionId;
    this.running = running;
  }

  output(): string | undefined {
    return this.running.output();
  }
}

/** What the sessions of a window have started: it ends with its session, and with the window. */
export class BackgroundRuns<T> implements Disposable {
  readonly #handles = new HandleStore<KeptRun<T>>('run', Date.now, KEPT);
  readonly #open = new Set<KeptRun<T>>();

  /** @throws ToolError when the session has started too much already */
  checkRoom(sessionId: string): void {
    const count = [...this.#open].filter((run) => run.sessionId === sessionId).length;
    if (count >= MAX_RUNNING)
      throw new ToolError(`${MAX_RUNNING} of them are running already.`, 'Wait until one has ended.');
  }

  /**
   * Keeps something that was started.
   * @param limit milliseconds after which it is stopped; undefined goes on until its session is closed
   */
  add(sessionId: string, running: Running<T>, limit: number | undefined): Run<T> {
    const run = new KeptRun(sessionId, running);
    run.id = this.#handles.keep(sessionId, run);
    this.#open.add(run);
    const late = (): void => {
      run.isOverTime = true;
      running.stop();
    };
    const timer = limit === undefined ? undefined : setTimeout(late, limit);
    void this.#end(run).finally(() => clearTimeout(timer));
    return run;
  }

  /** @throws ToolError when the session has started no such run */
  get(sessionId: string, id: string): Run<T> {
    const run = this.#handles.get(sessionId, id);
    if (run) return run;
    throw new ToolError(`There is no run ${JSON.stringify(id)}.`, 'Start it again.');
  }

  /** Waits for the end at most so many milliseconds, or until the signal aborts. */
  async wait(run: Run<T>, ms: number, signal: AbortSignal): Promise<void> {
    const kept = [...this.#open].find((open) => open === run);
    if (!kept || ms <= 0) return;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    await settlesWithin(Promise.race([kept.running.done, aborted]), ms);
  }

  stop(run: Run<T>): void {
    for (const open of this.#open) if (open === run) open.running.stop();
  }

  /** The session is closed. */
  forget(sessionId: string): void {
    for (const { sessionId: owner, running } of this.#open) if (owner === sessionId) running.stop();
  }

  dispose(): void {
    for (const { running } of this.#open) running.stop();
  }

  async #end(run: KeptRun<T>): Promise<void> {
    run.result = await run.running.done;
    this.#open.delete(run);
  }
}
