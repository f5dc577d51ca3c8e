import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { assertDefined } from '../../base/assert';
import { createDeferred, delay } from '../../base/async';
import type { Logger } from '../../base/logger';
import type { CommandEnvironment, ExitStatus, OnData, RunningCommand } from './commandHandle';
import { CommandLifetime } from './commandHandle';
import type { SpawnPlan } from './commandLine';

/** Milliseconds for which the pipes are read after the exit, because background processes may hold them open. */
const DRAIN_MS = 250;

/**
 * A command of the agent on pipes, in its own process group. Its stdin is empty, because no user could answer
 * prompts.
 */
export class PipedCommand implements RunningCommand {
  readonly #child: ChildProcess;
  readonly #log: Logger;
  readonly #done = createDeferred<ExitStatus>();
  #exit: ExitStatus | undefined;

  readonly done = this.#done.promise;
  readonly lifetime: CommandLifetime;

  private constructor(child: ChildProcess, log: Logger) {
    this.#child = child;
    this.#log = log;
    this.lifetime = new CommandLifetime(assertDefined(child.pid, 'process id'), log);
    child.on('error', (error) => log.warn('client', `Failed to control a command: ${error.message}`));
    child.on('exit', (exitCode, signal) => this.#onExit({ exitCode, signal }));
    child.on('close', () => this.#onDrained());
  }

  /** Resolves when the command runs; rejects with the system's error when it cannot be started. */
  static async start(
    plan: SpawnPlan,
    environment: CommandEnvironment,
    log: Logger,
    onData: OnData,
  ): Promise<PipedCommand> {
    const isWindows = process.platform === 'win32';
    const options: SpawnOptions = {
      ...environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      detached: !isWindows,
      windowsHide: true,
      windowsVerbatimArguments: plan.isVerbatim,
    };
    const child = spawn(plan.file, plan.args, options);
    if (child.pid === undefined) {
      throw await new Promise((resolve) => {
        child.once('error', resolve);
      });
    }
    const started = new PipedCommand(child, log);
    for (const stream of started.#streams()) started.#read(stream, onData);
    return started;
  }

  resume(): void {
    for (const stream of this.#streams()) stream.resume();
  }

  #streams(): Readable[] {
    return [this.#child.stdout, this.#child.stderr].filter((stream) => stream !== null);
  }

  #read(stream: Readable, onData: OnData): void {
    // One decoder per stream: chunks of both streams may alternate within a character.
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      const canContinue = onData(decoder.write(chunk));
      if (!canContinue) for (const each of this.#streams()) each.pause();
    });
    stream.on('end', () => onData(decoder.end()));
    stream.on('error', (error) => this.#log.trace('client', `Failed to read a pipe of a command: ${error.message}`));
  }

  #onExit(exit: ExitStatus): void {
    this.#exit = exit;
    this.lifetime.markExited();
    this.resume();
    void delay(DRAIN_MS).then(() => this.#onDrained());
  }

  #onDrained(): void {
    if (this.#exit) this.#done.resolve(this.#exit);
  }
}
