import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Env } from '../agent/environment';
import { END_DEADLINES, endProcess, killGroupNow } from '../agent/processEnd';
import { deferred, delay } from '../base/async';
import { defined } from '../base/assert';
import type { Log } from '../base/log';
import type { CommandPlan } from './commandLine';

/** How a command ended; the one that does not apply is null, as on the wire. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What is still in the pipes after the exit is read for so long; something left in the background may hold them open for ever. */
const DRAIN_MS = 250;

const running = new Set<CommandProcess>();
let watchingOurEnd = false;

/** The output is wanted when it comes: `false` from `onData` asks to pause until {@link CommandProcess.resume}. */
export type OnData = (text: string) => boolean;

/** A command of the agent on pipes, in a process group of its own. Its stdin is empty: nobody could answer it. */
export class CommandProcess {
  readonly #child: ChildProcess;
  readonly #log: Log;
  readonly #exited = deferred<ExitStatus>();
  readonly #done = deferred<ExitStatus>();
  #exit: ExitStatus | undefined;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess, log: Log, onData: OnData) {
    this.#child = child;
    this.#log = log;
    for (const stream of this.#streams()) this.#read(stream, onData);
    child.on('exit', (exitCode, signal) => this.#onExit({ exitCode, signal }));
    child.on('close', () => this.#onDrained());
  }

  /** Resolves when the command runs; rejects with the system's error when it cannot be started. */
  static async start(
    plan: CommandPlan,
    where: { cwd: string; env: Env },
    log: Log,
    onData: OnData,
  ): Promise<CommandProcess> {
    const windows = process.platform === 'win32';
    const options: SpawnOptions = {
      ...where,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      detached: !windows,
      windowsHide: true,
      windowsVerbatimArguments: plan.verbatim,
    };
    const child = spawn(plan.file, plan.args, options);
    const started = new CommandProcess(child, log, onData);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', (error) => log.warn('client', `Command: ${error.message}`));
    track(started);
    return started;
  }

  /** Settles when the command has exited and its output was read. */
  get done(): Promise<ExitStatus> {
    return this.#done.promise;
  }

  resume(): void {
    for (const stream of this.#streams()) stream.resume();
  }

  /** Ends the command and everything it has started; resolves when they are gone. Also ends what an exited one left behind. */
  end(): Promise<void> {
    this.#ending ??= endProcess({
      pid: this.#pid,
      log: this.#log,
      deadlines: { ...END_DEADLINES, eof: 0 },
      closeInput: () => undefined,
      hasExited: () => this.#exit !== undefined,
      exited: this.#exited.promise,
    });
    return this.#ending;
  }

  /** For the end of the window, when nothing can be waited for. */
  killNow(): void {
    if (!this.#exit) killGroupNow(this.#pid);
  }

  get #pid(): number {
    return defined(this.#child.pid, 'process id');
  }

  #streams(): Readable[] {
    return [this.#child.stdout, this.#child.stderr].filter((stream) => stream !== null);
  }

  #read(stream: Readable, onData: OnData): void {
    // One decoder per stream: a character of one may come in two chunks with one of the other between them.
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      const wanted = onData(decoder.write(chunk));
      if (!wanted) for (const each of this.#streams()) each.pause();
    });
    stream.on('end', () => onData(decoder.end()));
    stream.on('error', (error) => this.#log.trace('client', `Pipe: ${error.message}`));
  }

  #onExit(exit: ExitStatus): void {
    this.#exit = exit;
    running.delete(this);
    this.#exited.resolve(exit);
    this.resume();
    void delay(DRAIN_MS).then(() => this.#onDrained());
  }

  #onDrained(): void {
    if (this.#exit) this.#done.resolve(this.#exit);
  }
}

/** No command outlives the window (I5): should nobody have ended it before our process ends, its group is killed. */
function track(started: CommandProcess): void {
  running.add(started);
  if (watchingOurEnd) return;
  watchingOurEnd = true;
  process.once('exit', () => {
    for (const left of running) left.killNow();
  });
}
