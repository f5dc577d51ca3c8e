import { killOnExit } from '../../agent/killOnExit';
import { END_DEADLINES, endProcess, killProcessGroup } from '../../node/process/endProcess';
import type { Env } from '../../node/process/processEnvironment';
import { deferred } from '../../base/async';
import type { Logger } from '../../base/logger';

/** How a command ended; the one that does not apply is null, as on the wire. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Where a command runs. */
export interface CommandPlace {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Env;
}

/** The output is wanted when it comes: `false` from `onData` asks to pause until {@link RunningCommand.resume}. */
export type OnData = (text: string) => boolean;

/** What the user can do in the terminal of a command. Does nothing once the command has ended. */
export interface Tty {
  write(data: string): void;
  resize(columns: number, rows: number): void;
}

/** A command of the agent that was started. */
export interface RunningCommand {
  /** Settles when the command has exited and its output was read. */
  readonly done: Promise<ExitStatus>;
  /** Undefined where the command has no terminal. */
  readonly tty?: Tty;
  resume(): void;
  /** Ends the command and everything it has started; resolves when they are gone. Also ends what an exited one left behind. */
  end(): Promise<void>;
  /** For the end of the window, when nothing can be waited for. */
  killNow(): void;
}

/**
 * The end of a command that leads a process group of its own. No command outlives the window (I5): should nobody have ended it
 * before our process ends, its group is killed.
 */
export class CommandLifetime {
  readonly #pid: number;
  readonly #log: Logger;
  readonly #gone = deferred<void>();
  readonly #release: () => void;
  #over = false;
  #ending: Promise<void> | undefined;

  constructor(pid: number, log: Logger) {
    this.#pid = pid;
    this.#log = log;
    this.#release = killOnExit(() => this.killNow());
  }

  /** To be told when the command itself has exited. */
  exited(): void {
    this.#over = true;
    this.#release();
    this.#gone.resolve();
  }

  end(): Promise<void> {
    this.#ending ??= endProcess({
      pid: this.#pid,
      log: this.#log,
      deadlines: { ...END_DEADLINES, eof: 0 },
      closeInput: () => undefined,
      hasExited: () => this.#over,
      exited: this.#gone.promise,
    });
    return this.#ending;
  }

  killNow(): void {
    if (!this.#over) killProcessGroup(this.#pid);
  }
}
