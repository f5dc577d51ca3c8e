import { settlesWithin } from '../../../base/async';
import type { Disposable } from '../../../base/lifecycle';
import { ToolError } from '../../contract/toolServerTypes';
import { HandleStore } from './handleStore';

/** Milliseconds that tests and tasks may run. */
export const RUN_LIMIT_MS = 600_000;
/** Default milliseconds that a call waits for the end: agents time out after a minute. */
export const RUN_WAIT_MS = 45_000;
/** Concurrent runs per session. */
const MAX_RUNNING = 8;
/** Milliseconds that a run can be queried. */
const RETENTION_MS = 3_600_000;

/** A started background job. */
export interface RunningJob<T> {
  /** Never rejects. */
  readonly done: Promise<T>;
  /** The end of the run's output; undefined where the output is not captured. */
  output(): string | undefined;
  stop(): void;
}

/** A run with its handle. */
export interface Run<T> {
  readonly id: string;
  /** Undefined while it runs. */
  readonly result: T | undefined;
  /** Stopped because it exceeded its time limit. */
  readonly isOverTime: boolean;
  output(): string | undefined;
}

class StoredRun<T> implements Run<T> {
  readonly sessionId: string;
  readonly running: RunningJob<T>;
  id = '';
  result: T | undefined;
  isOverTime = false;

  constructor(sessionId: string, running: RunningJob<T>) {
    this.sessionId = sessionId;
    this.running = running;
  }

  output(): string | undefined {
    return this.running.output();
  }
}

/** The background runs of all sessions of a window; they end with their session. */
export class BackgroundRuns<T> implements Disposable {
  readonly #handles = new HandleStore<StoredRun<T>>('run', undefined, RETENTION_MS);
  readonly #open = new Set<StoredRun<T>>();

  /** @throws ToolError when the session already has too many runs */
  checkRoom(sessionId: string): void {
    const count = [...this.#open].filter((run) => run.sessionId === sessionId).length;
    if (count >= MAX_RUNNING)
      throw new ToolError(`${MAX_RUNNING} of them are running already.`, 'Wait until one has ended.');
  }

  /**
   * Adds a started job.
   * @param limit Milliseconds until it is stopped; undefined keeps it until its session closes.
   */
  add(sessionId: string, running: RunningJob<T>, limit: number | undefined): Run<T> {
    const run = new StoredRun(sessionId, running);
    run.id = this.#handles.add(sessionId, run);
    this.#open.add(run);
    const late = (): void => {
      run.isOverTime = true;
      running.stop();
    };
    const timer = limit === undefined ? undefined : setTimeout(late, limit);
    void this.#end(run).finally(() => clearTimeout(timer));
    return run;
  }

  /** @throws ToolError when the session has no such run */
  get(sessionId: string, id: string): Run<T> {
    const run = this.#handles.get(sessionId, id);
    if (run) return run;
    throw new ToolError(`There is no run ${JSON.stringify(id)}.`, 'Start it again.');
  }

  /** Waits for the end for at most `ms` milliseconds, or until `signal` aborts. */
  async wait(run: Run<T>, ms: number, signal: AbortSignal): Promise<void> {
    const stored = [...this.#open].find((open) => open === run);
    if (!stored || ms <= 0) return;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    await settlesWithin(Promise.race([stored.running.done, aborted]), ms);
  }

  stop(run: Run<T>): void {
    for (const open of this.#open) if (open === run) open.running.stop();
  }

  closeSession(sessionId: string): void {
    for (const { sessionId: owner, running } of this.#open) if (owner === sessionId) running.stop();
  }

  dispose(): void {
    for (const { running } of this.#open) running.stop();
  }

  async #end(run: StoredRun<T>): Promise<void> {
    run.result = await run.running.done;
    this.#open.delete(run);
  }
}
