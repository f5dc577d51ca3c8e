import type { Disposable } from '../../base/lifecycle';
import type { SessionHandle } from '../../session/sessionHandle';
import { OutputBatcher } from './outputBatcher';
import { OutputTail } from './outputTail';
import type { OutputText } from './renderedOutput';
import { RenderedOutput } from './renderedOutput';
import type { ExitStatus, RunningCommand, Tty } from './commandHandle';

export interface TerminalOptions {
  readonly terminalId: string;
  readonly agentSessionId: string;
  readonly session: SessionHandle;
  /** Bytes of output that are kept for the agent. */
  readonly limit: number;
  /** Bytes of them that the agent wants. */
  readonly agentLimit: number;
  /** The command draws on a terminal: the agent gets what that shows. What comes through pipes it gets as it is. */
  readonly draws: boolean;
}

/** One command of the agent: its output and its end, for the agent and for the transcript. */
export class AgentTerminal implements Disposable {
  readonly options: TerminalOptions;
  readonly #text: OutputText;
  readonly #rendered: RenderedOutput | undefined;
  readonly #feed: OutputBatcher;
  #command: RunningCommand | undefined;
  #exit: ExitStatus | undefined;

  constructor(options: TerminalOptions) {
    this.options = options;
    this.#rendered = options.draws ? new RenderedOutput(options.limit) : undefined;
    this.#text = this.#rendered ?? new OutputTail(options.limit);
    this.#feed = new OutputBatcher((data) => this.#send(data));
  }

  /** Takes output of the command; false asks it to pause. */
  readonly onData = (text: string): boolean => {
    if (text === '') return true;
    this.#text.append(text);
    return this.#feed.push(text) && this.#rendered?.behind !== true;
  };

  /** The command runs: told to the transcript before any of its output. */
  attach(command: RunningCommand, line: string, cwd: string): void {
    this.#command = command;
    const { session, terminalId } = this.options;
    const tty = command.tty !== undefined;
    session.dispatch({ type: 'terminalCreated', terminalId, command: line, cwd, tty, at: Date.now() });
    void command.done.then((exit) => this.#onExit(exit));
  }

  /** What the agent gets to see of the output. */
  read(): { output: string; truncated: boolean; exitStatus?: ExitStatus } {
    return { ...this.#text.read(this.options.agentLimit), ...(this.#exit && { exitStatus: this.#exit }) };
  }

  /** What the user may type to; undefined once the command is over. */
  get tty(): Tty | undefined {
    return this.#exit ? undefined : this.#command?.tty;
  }

  /** The command has ended, and its output was read. */
  get isOver(): boolean {
    return this.#exit !== undefined;
  }

  get done(): Promise<ExitStatus> {
    if (!this.#command) throw new Error('The command has not been started');
    return this.#command.done;
  }

  /** Ends the command with everything it started, by whomever that is wanted. */
  async kill(): Promise<void> {
    if (this.#exit) return;
    await this.#command?.end();
    await this.#command?.done;
  }

  /** Ends also what an exited command left in the background. */
  async release(): Promise<void> {
    await this.#command?.end();
  }

  killNow(): void {
    this.#command?.killNow();
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
    // An exited command may have left something in the background: that is found by walking its group, not killed by number.
    if (this.#exit) void this.release();
    this.#feed.dispose();
  }
}
