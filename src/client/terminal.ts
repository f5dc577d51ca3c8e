import type { Disposable } from '../base/lifecycle';
import type { SessionPort } from '../session/port';
import type { CommandProcess, ExitStatus } from './commandProcess';
import { OutputFeed } from './outputFeed';
import { OutputTail } from './outputTail';

export interface TerminalOptions {
  readonly terminalId: string;
  readonly agentSessionId: string;
  readonly session: SessionPort;
  readonly title: string;
  /** Bytes of output kept here. */
  readonly limit: number;
  /** Bytes of them that the agent wants. */
  readonly agentLimit: number;
}

/** Where else the output is shown. */
export interface OutputView extends Disposable {
  show(): void;
  write(text: string): void;
  note(text: string): void;
}

/** One command of the agent: its output, its end, and where both are shown. */
export class Terminal implements Disposable {
  readonly options: TerminalOptions;
  readonly #tail: OutputTail;
  readonly #feed: OutputFeed;
  #process: CommandProcess | undefined;
  #view: OutputView | undefined;
  #exit: ExitStatus | undefined;

  constructor(options: TerminalOptions) {
    this.options = options;
    this.#tail = new OutputTail(options.limit);
    this.#feed = new OutputFeed((data) => this.#send(data));
  }

  /** Takes output of the command; false asks it to pause. */
  readonly onData = (text: string): boolean => {
    if (text === '') return true;
    this.#tail.append(text);
    return this.#feed.push(text);
  };

  /** The command runs: told to the transcript before any of its output. */
  attach(process: CommandProcess, command: string, cwd: string): void {
    this.#process = process;
    const { session, terminalId } = this.options;
    session.dispatch({ type: 'terminalCreated', terminalId, command, cwd, at: Date.now() });
    void process.done.then((exit) => this.#onExit(exit));
  }

  /** What the agent gets to see of the output. */
  read(): { output: string; truncated: boolean; exitStatus?: ExitStatus } {
    return { ...this.#tail.read(this.options.agentLimit), ...(this.#exit && { exitStatus: this.#exit }) };
  }

  get done(): Promise<ExitStatus> {
    if (!this.#process) throw new Error('The command has not been started');
    return this.#process.done;
  }

  /** Ends the command with everything it started, by whomever that is wanted. */
  async kill(): Promise<void> {
    if (this.#exit) return;
    await this.#process?.end();
    await this.#process?.done;
  }

  /** Ends also what an exited command left in the background. */
  async release(): Promise<void> {
    await this.#process?.end();
  }

  killNow(): void {
    this.#process?.killNow();
  }

  /** Shows the same output in a terminal of VS Code; `create` makes it when there is none yet. */
  show(create: (title: string, onClosed: () => void) => OutputView): void {
    if (!this.#view) {
      // What waits in the feed is in the tail already.
      this.#feed.flush();
      const view = create(this.options.title, () => this.#onViewClosed());
      this.#view = view;
      view.write(this.#tail.read().output);
      if (this.#exit) view.note(exitLine(this.#exit));
    }
    this.#view.show();
  }

  #send(data: string): void {
    const { session, terminalId } = this.options;
    session.dispatch({ type: 'terminalOutput', terminalId, data });
    this.#view?.write(data);
    this.#process?.resume();
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
    this.#view?.note(exitLine(exit));
  }

  #onViewClosed(): void {
    const view = this.#view;
    this.#view = undefined;
    view?.dispose();
  }

  dispose(): void {
    this.killNow();
    // An exited command may have left something in the background: that is found by walking its group, not killed by number.
    if (this.#exit) void this.release();
    this.#feed.dispose();
    this.#onViewClosed();
  }
}

function exitLine(exit: ExitStatus): string {
  return exit.signal === null ? `exited with code ${exit.exitCode ?? 'unknown'}` : `ended by ${exit.signal}`;
}
