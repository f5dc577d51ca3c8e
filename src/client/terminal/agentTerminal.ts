import { omitUndefined } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ExitStatus, RunningCommand, Tty } from './commandHandle';
import { OutputBatcher } from './outputBatcher';
import { OutputTail } from './outputTail';
import { RenderedOutput } from './renderedOutput';

interface TerminalOptions {
  readonly terminalId: string;
  readonly agentSessionId: string;
  readonly session: SessionHandle;
  /** Bytes of output that are kept. */
  readonly limit: number;
  /** Bytes of output that the agent requested. */
  readonly agentLimit: number;
  /** A terminal screen: the agent gets its rendered text. Piped output is returned unchanged. */
  readonly isScreen: boolean;
}

/** One command of the agent: its output and exit status, for agent and transcript. */
export class AgentTerminal implements Disposable {
  readonly options: TerminalOptions;
  readonly #text: OutputTail | RenderedOutput;
  readonly #rendered: RenderedOutput | undefined;
  readonly #feed: OutputBatcher;
  #command: RunningCommand | undefined;
  #exit: ExitStatus | undefined;

  constructor(options: TerminalOptions) {
    this.options = options;
    this.#rendered = options.isScreen ? new RenderedOutput(options.limit) : undefined;
    this.#text = this.#rendered ?? new OutputTail(options.limit);
    this.#feed = new OutputBatcher((data) => this.#send(data));
  }

  /** False asks the command to pause. */
  readonly onData = (text: string): boolean => {
    if (text === '') return true;
    this.#text.append(text);
    return this.#feed.push(text) && this.#rendered?.isBehind !== true;
  };

  /**
   * Adds the command to the transcript before any of its output.
   * @param allowed why the user was not asked
   */
  attach(command: RunningCommand, line: string, cwd: string, allowed?: string): void {
    this.#command = command;
    const { session, terminalId } = this.options;
    const hasTty = command.tty !== undefined;
    const created = { terminalId, command: line, cwd, tty: hasTty, ...omitUndefined({ allowed }) };
    session.dispatch({ type: 'terminalCreated', ...created, at: Date.now() });
    void command.done.then((exit) => this.#onExit(exit));
  }

  /** The output as the agent gets it. */
  read(): { output: string; truncated: boolean; exitStatus?: ExitStatus } {
    return { ...this.#text.read(this.options.agentLimit), ...(this.#exit && { exitStatus: this.#exit }) };
  }

  /** Input of the terminal; undefined once the command has ended. */
  get tty(): Tty | undefined {
    return this.#exit ? undefined : this.#command?.tty;
  }

  /** Ended, with all output read. */
  get isOver(): boolean {
    return this.#exit !== undefined;
  }

  get done(): Promise<ExitStatus> {
    if (!this.#command) throw new Error('The command has not been started');
    return this.#command.done;
  }

  async kill(): Promise<void> {
    if (this.#exit) return;
    await this.#command?.lifetime.end();
    await this.#command?.done;
  }

  /** Also ends background processes of an exited command. */
  async release(): Promise<void> {
    await this.#command?.lifetime.end();
  }

  killNow(): void {
    this.#command?.lifetime.killNow();
  }

  #send(data: string): void {
    const { session, terminalId } = this.options;
    session.dispatch({ type: 'terminalOutput', terminalId, data });
    this.#rendered?.catchUp();
    this.#command?.resume();
  }

  #onExit(exit: ExitStatus): void {
    this.#feed.flush();
    this.#exit = exit;
    const { session, terminalId } = this.options;
    const how = {
      ...(exit.exitCode !== null && { code: exit.exitCode }),
      ...(exit.signal !== null && { signal: exit.signal }),
    };
    session.dispatch({ type: 'terminalExited', terminalId, ...how, at: Date.now() });
  }

  dispose(): void {
    this.killNow();
    // After the command has exited, its background processes are found by their process group, not by process ids.
    if (this.#exit) void this.release();
    this.#feed.dispose();
  }
}
