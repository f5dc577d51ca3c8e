import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { assertDefined } from '../../base/assert';
import { createDeferred, delay } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Logger } from '../../base/logger';
import type { TerminationDeadlines } from '../../node/process/endProcess';
import { endProcess, killProcessGroup } from '../../node/process/endProcess';
import { killOnExit } from '../../node/process/killOnExit';
import { writeLine } from '../../node/process/ndjson';
import type { AgentDefinition } from '../config/agentDefinition';
import type { LaunchPlan } from './launchPlan';
import { launchError } from './launchPlan';

export interface Exit {
  readonly code?: number;
  readonly signal?: string;
}

/** Milliseconds for which the rest of the pipes is read after the exit, because a surviving child process may hold them open. */
const PIPE_DEADLINE_MS = 500;

/** An agent's process; on POSIX in its own process group. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #log: Logger;
  readonly #exited = createDeferred<Exit>();
  readonly #drained = createDeferred<Exit>();
  readonly #onStdout = new Emitter<Uint8Array>();
  readonly #onStderr = new Emitter<Uint8Array>();
  #exit: Exit | undefined;
  #ending: Promise<void> | undefined;
  #release = (): void => undefined;

  /** Settles when the process has exited and its output was read. */
  readonly drained = this.#drained.promise;
  readonly onStdout = this.#onStdout.event;
  readonly onStderr = this.#onStderr.event;

  private constructor(child: ChildProcess, log: Logger) {
    this.#child = child;
    this.#log = log;
    readChunks(child.stdout, (chunk) => this.#onStdout.fire(chunk));
    readChunks(child.stderr, (chunk) => this.#onStderr.fire(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream?.on('error', (error) => log.trace('agent', `Failed to use a pipe of the agent: ${errorMessage(error)}`));
    }
    child.on('exit', (code, signal) =>
      this.#onExit({ ...(code === null ? {} : { code }), ...(signal ? { signal } : {}) }),
    );
    child.on('close', () => this.#onDrained());
  }

  /**
   * Resolves when the process runs.
   * @throws ParleyError (`agentNotFound`) when it cannot be started
   */
  static async start(plan: LaunchPlan, definition: AgentDefinition, log: Logger): Promise<AgentProcess> {
    try {
      const child = spawn(plan.file, plan.args, plan.options);
      const started = new AgentProcess(child, log);
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      child.on('error', (error) => log.warn('agent', `Failed to control process ${child.pid}: ${errorMessage(error)}`));
      started.#release = killOnExit(() => started.killNow(), child.pid);
      log.info('agent', `Started ${definition.title} (process ${child.pid})`);
      return started;
    } catch (error) {
      throw launchError(definition, error, plan.options.env);
    }
  }

  get pid(): number {
    return assertDefined(this.#child.pid, 'process id');
  }

  /** Settles when the agent has closed its stdout, which it does at the latest when it exits. */
  get outputEnded(): Promise<void> {
    const stdout: Readable = assertDefined(this.#child.stdout, 'stdout');
    if (stdout.readableEnded || stdout.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      stdout.once('close', resolve).once('end', resolve);
    });
  }

  /** As {@link writeLine}. */
  write(line: string): Promise<Error | undefined> {
    const stdin: Writable = assertDefined(this.#child.stdin, 'stdin');
    return writeLine(stdin, line);
  }

  /** Ends the process and its child processes; resolves when they have ended. Also cleans up after an exit. */
  end(deadlines: TerminationDeadlines): Promise<void> {
    this.#ending ??= this.#end(deadlines);
    return this.#ending;
  }

  killNow(): void {
    killProcessGroup(this.pid);
  }

  async #end(deadlines: TerminationDeadlines): Promise<void> {
    await endProcess({
      pid: this.pid,
      log: this.#log,
      deadlines,
      closeInput: () => this.#child.stdin?.end(),
      hasExited: () => this.#exit !== undefined,
      exited: this.#exited.promise,
    });
    this.#release();
    if (this.#exit) await this.drained;
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    this.#exited.resolve(exit);
    void delay(PIPE_DEADLINE_MS).then(() => this.#onDrained());
  }

  #onDrained(): void {
    if (!this.#exit) return;
    this.#drained.resolve(this.#exit);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.stdin?.destroy();
  }
}

/** Reads one chunk in each turn of the event loop; Node would read up to 2 MiB of a flood in one, and block the window. */
function readChunks(stream: Readable | null, onChunk: (chunk: Uint8Array) => void): void {
  stream?.on('data', (chunk: Uint8Array) => {
    stream.pause();
    setImmediate(() => stream.resume());
    onChunk(chunk);
  });
}
