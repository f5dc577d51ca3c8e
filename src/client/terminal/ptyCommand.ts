import { constants } from 'node:os';
import { createDeferred } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from '../../shared/terminal/terminalScreen';
import type { CommandEnvironment, ExitStatus, OnData, RunningCommand, Tty } from './commandHandle';
import { CommandLifetime } from './commandHandle';
import type { SpawnPlan } from './commandLine';
import type { PtyHandle, PtyModule } from './nodePty';
import { PtyDrain } from './ptyDrain';

/**
 * A command of the agent in a pseudo-terminal, with full terminal features and as leader of its own process group. When
 * it exits, its background processes get SIGHUP from the system, and their output is not read.
 */
export class PtyCommand implements RunningCommand {
  readonly tty: Tty;
  readonly #pty: PtyHandle;
  readonly #drain: PtyDrain;
  readonly #done = createDeferred<ExitStatus>();
  #hasExited = false;

  readonly done = this.#done.promise;
  readonly lifetime: CommandLifetime;

  private constructor(pty: PtyHandle, log: Logger, onData: OnData) {
    this.#pty = pty;
    this.#drain = new PtyDrain(pty);
    this.lifetime = new CommandLifetime(pty.pid, log);
    this.tty = {
      write: (data) => this.#ifRunning(() => pty.write(data)),
      resize: (columns, rows) => this.#ifRunning(() => pty.resize(columns, rows)),
    };
    // Pseudo-terminals often end with EIO; the exit event follows in any case.
    pty.on?.('error', (error) => log.trace('client', `Failed to use a pseudo-terminal: ${errorMessage(error)}`));
    pty.onData((data) => {
      const output = this.#drain.read(data);
      if (output !== '' && !onData(output) && !this.#drain.isEnding) this.#ifRunning(() => pty.pause());
    });
    pty.onExit((exit) => this.#onExit(statusOf(exit)));
  }

  /**
   * The program must exist: a pseudo-terminal reports a missing program only as output.
   * @throws Error when the system provides no pseudo-terminal
   */
  static start(
    pty: PtyModule,
    plan: SpawnPlan,
    { cwd, env }: CommandEnvironment,
    log: Logger,
    onData: OnData,
  ): PtyCommand {
    const size = { cols: TERMINAL_COLUMNS, rows: TERMINAL_ROWS };
    const options = { name: env['TERM'] ?? 'xterm-256color', ...size, cwd, env };
    const args = plan.isVerbatim ? plan.args.join(' ') : plan.args;
    return new PtyCommand(pty.spawn(plan.file, args, options), log, onData);
  }

  resume(): void {
    this.#ifRunning(() => this.#pty.resume());
  }

  /** All methods of a pseudo-terminal throw after its program has exited. */
  #ifRunning(work: () => void): void {
    if (!this.#hasExited) work();
  }

  #onExit(exit: ExitStatus): void {
    this.#hasExited = true;
    this.#drain.dispose();
    this.lifetime.markExited();
    this.#done.resolve(exit);
  }
}

const SIGNALS = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));

function statusOf({ exitCode, signal }: { exitCode: number; signal?: number }): ExitStatus {
  if (!signal) return { exitCode, signal: null };
  return { exitCode: null, signal: SIGNALS.get(signal) ?? `signal ${signal}` };
}
