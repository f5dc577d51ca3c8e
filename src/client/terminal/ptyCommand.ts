import { constants } from 'node:os';
import { deferred } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from '../../shared/terminal/terminalScreen';
import type { SpawnPlan } from './commandLine';
import { PtyDrain } from './ptyDrain';
import type { PtyHandle, PtyModule } from './nodePty';
import type { CommandPlace, ExitStatus, OnData, RunningCommand, Tty } from './commandHandle';
import { CommandLifetime } from './commandHandle';

/**
 * A command of the agent in a pseudo-terminal of its own: it may ask, draw and colour as in any terminal, and it leads its own
 * process group. When it exits, what it left in the background gets SIGHUP from the system and its output is not read any more.
 */
export class PtyCommand implements RunningCommand {
  readonly tty: Tty;
  readonly #pty: PtyHandle;
  readonly #hold: PtyDrain;
  readonly #end: CommandLifetime;
  readonly #done = deferred<ExitStatus>();
  #over = false;

  private constructor(pty: PtyHandle, log: Logger, onData: OnData) {
    this.#pty = pty;
    this.#hold = new PtyDrain(pty.pid, pty.ptsName);
    this.#end = new CommandLifetime(pty.pid, log);
    this.tty = {
      write: (data) => this.#use(() => pty.write(data)),
      resize: (columns, rows) => this.#use(() => pty.resize(columns, rows)),
    };
    // EIO is how a pseudo-terminal often ends; the exit comes in any case.
    pty.on?.('error', (error) => log.trace('client', `Pseudo-terminal: ${errorMessage(error)}`));
    pty.onData((data) => {
      this.#hold.read();
      if (!onData(data)) this.#pause();
    });
    pty.onExit((exit) => this.#onExit(statusOf(exit)));
  }

  /**
   * The program must be known to be there: a pseudo-terminal tells of that only as output of the command.
   * @throws when the system gives no pseudo-terminal
   */
  static start(pty: PtyModule, plan: SpawnPlan, { cwd, env }: CommandPlace, log: Logger, onData: OnData): PtyCommand {
    const size = { cols: TERMINAL_COLUMNS, rows: TERMINAL_ROWS };
    const options = { name: env['TERM'] ?? 'xterm-256color', ...size, cwd, env };
    const args = plan.verbatim ? plan.args.join(' ') : plan.args;
    return new PtyCommand(pty.spawn(plan.file, args, options), log, onData);
  }

  get done(): Promise<ExitStatus> {
    return this.#done.promise;
  }

  resume(): void {
    this.#hold.held = false;
    this.#use(() => this.#pty.resume());
  }

  #pause(): void {
    this.#hold.held = true;
    this.#use(() => this.#pty.pause());
  }

  end(): Promise<void> {
    return this.#end.end();
  }

  killNow(): void {
    this.#end.killNow();
  }

  /** A pseudo-terminal whose program is gone throws at everything. */
  #use(work: () => void): void {
    if (!this.#over) work();
  }

  #onExit(exit: ExitStatus): void {
    this.#over = true;
    this.#hold.dispose();
    this.#end.exited();
    this.#done.resolve(exit);
  }
}

const SIGNALS = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));

function statusOf({ exitCode, signal }: { exitCode: number; signal?: number }): ExitStatus {
  if (!signal) return { exitCode, signal: null };
  return { exitCode: null, signal: SIGNALS.get(signal) ?? `signal ${signal}` };
}
