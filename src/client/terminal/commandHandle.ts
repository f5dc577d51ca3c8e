import { createDeferred } from '../../base/async';
import type { Logger } from '../../base/logger';
import { END_DEADLINES, endProcess, killProcessGroup } from '../../node/process/endProcess';
import { killOnExit } from '../../node/process/killOnExit';
import type { Env } from '../../node/process/processEnvironment';

/** Exit code or signal; the other one is null, as on the wire. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface CommandEnvironment {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Env;
}

/** `false` asks to pause until {@link RunningCommand.resume}. */
export type OnData = (text: string) => boolean;

/** Terminal input; ignored once the command has ended. */
export interface Tty {
  write(data: string): void;
  resize(columns: number, rows: number): void;
}

export interface RunningCommand {
  /** Settles when the command has exited and its output was read. */
  readonly done: Promise<ExitStatus>;
  /** Undefined without a terminal. */
  readonly tty?: Tty;
  readonly lifetime: CommandLifetime;
  resume(): void;
}

/** The lifetime of a command with its own process group. No command outlives the window (I5): the group is killed when our process ends. */
export class CommandLifetime {
  readonly #exit = createDeferred<void>();
  readonly #release: () => void;
  #hasExited = false;
  #ending: Promise<void> | undefined;

  constructor(
    private readonly pid: number,
    private readonly log: Logger,
  ) {
    this.#release = killOnExit(() => this.killNow(), pid);
  }

  /** Call when the command itself has exited. */
  markExited(): void {
    this.#hasExited = true;
    this.#release();
    this.#exit.resolve();
  }

  /** Ends the process tree, also after the command has exited; resolves when it has ended. */
  end(): Promise<void> {
    this.#ending ??= endProcess({
      pid: this.pid,
      log: this.log,
      deadlines: { ...END_DEADLINES, eof: 0 },
      closeInput: () => undefined,
      hasExited: () => this.#hasExited,
      exited: this.#exit.promise,
    });
    return this.#ending;
  }

  /** Synchronous, for the end of the window. */
  killNow(): void {
    if (!this.#hasExited) killProcessGroup(this.pid);
  }
}
