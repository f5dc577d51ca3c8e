import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { Action } from '../../shared/state/sessionActions';
import type { Terminal } from '../../shared/state/terminalState';
import { terminalOf } from '../../shared/state/terminalState';
import { TerminalOutputFilter } from '../../shared/terminal/terminalOutputFilter';
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from '../../shared/terminal/terminalScreen';
import { exitText } from '../../shared/text/statusText';
import type { Tty } from './commandHandle';

/** Finds the input of a command while it runs. */
type FindTty = (terminalId: string) => Tty | undefined;

interface OpenView {
  readonly view: TerminalMirror;
  readonly owned: DisposableStore;
}

/**
 * "Show in Terminal": one VS Code terminal per command, with its output from the transcript. So it also works for
 * commands that agents run themselves, after release, and after a window reload.
 */
export class TerminalMirrors implements Disposable {
  readonly #open = new Map<string, OpenView>();

  constructor(private readonly tty: FindTty) {}

  /** False when the transcript has no such terminal. */
  show(session: Session, terminalId: string): boolean {
    const terminal = terminalOf(session.state.terminals, terminalId);
    if (!terminal) return false;
    // Terminal ids of agents are unique within one session only.
    const key = `${session.id} ${terminalId}`;
    const { view } = this.#open.get(key) ?? this.#create(session, terminal, key);
    view.show();
    return true;
  }

  dispose(): void {
    for (const { owned } of this.#open.values()) owned.dispose();
    this.#open.clear();
  }

  #create(session: Session, terminal: Terminal, key: string): OpenView {
    const { terminalId } = terminal;
    const owned = new DisposableStore();
    const view = owned.add(new TerminalMirror(terminal, this.tty, () => this.#close(key, terminalId)));
    const opened = { view, owned };
    this.#open.set(key, opened);
    showSoFar(view, terminal, this.tty(terminalId) !== undefined);
    owned.add(session.onDidDispatch(({ action }) => follow(view, terminalId, action)));
    return opened;
  }

  #close(key: string, terminalId: string): void {
    const opened = this.#open.get(key);
    if (!opened) return;
    this.#open.delete(key);
    opened.owned.dispose();
    this.tty(terminalId)?.resize(TERMINAL_COLUMNS, TERMINAL_ROWS);
  }
}

function showSoFar(view: TerminalMirror, terminal: Terminal, canType: boolean): void {
  if (!terminal.exit && !canType) view.writeNote(t('Read-only: input is not sent to the command.'));
  view.writeOutput(terminal.output);
  if (terminal.exit) view.writeNote(exitLine(terminal.exit));
}

function follow(view: TerminalMirror, terminalId: string, action: Action): void {
  if (action.type !== 'terminalOutput' && action.type !== 'terminalExited') return;
  if (action.terminalId !== terminalId) return;
  if (action.type === 'terminalOutput') view.writeOutput(action.data);
  else view.writeNote(exitLine(action));
}

function exitLine(exit: NonNullable<Terminal['exit']>): string {
  return t('The command has ended: {0}', exitText(exit));
}

/**
 * Live output of a command in a VS Code terminal. The user's input is sent to the command if it has a pseudo-terminal.
 */
class TerminalMirror implements Disposable {
  readonly #terminal: vscode.Terminal;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;
  readonly #filter: TerminalOutputFilter;
  /** Output before the terminal was ready. */
  #early: string[] | undefined = [];

  /** @param onDidClose the user or Parley closed the terminal */
  constructor(
    private readonly source: Terminal,
    private readonly tty: FindTty,
    onDidClose: () => void,
  ) {
    // Output of a terminal contains carriage returns; output of a pipe has plain line feeds.
    this.#filter = new TerminalOutputFilter(source.tty === true ? '\n' : '\r\n');
    this.#terminal = vscode.window.createTerminal({
      name: source.command,
      iconPath: new vscode.ThemeIcon('hubot'),
      isTransient: true,
      pty: {
        onDidWrite: this.#written.event,
        open: (size: vscode.TerminalDimensions | undefined) => this.#open(size),
        // Closing the terminal does not stop the command.
        close: onDidClose,
        handleInput: (data: string) => tty(source.terminalId)?.write(data),
        setDimensions: (size: vscode.TerminalDimensions) => this.#resize(size),
      },
    });
    this.#subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed === this.#terminal) onDidClose();
    });
  }

  /** Reveals the terminal without focusing it. */
  show(): void {
    this.#terminal.show(true);
  }

  writeOutput(output: string): void {
    this.#write(this.#filter.filter(output));
  }

  /** Writes a line that is not part of the command's output. */
  writeNote(text: string): void {
    this.#write(`\r\n\u001B[0;2m${text}\u001B[0m\r\n`);
  }

  #write(data: string): void {
    if (this.#early) this.#early.push(data);
    else this.#written.fire(data);
  }

  #open(size: vscode.TerminalDimensions | undefined): void {
    this.#resize(size);
    const early = this.#early ?? [];
    this.#early = undefined;
    if (early.length > 0) this.#written.fire(early.join(''));
  }

  /** Full-screen programs need the terminal's size. */
  #resize(size: vscode.TerminalDimensions | undefined): void {
    if (size && size.columns > 0 && size.rows > 0) this.tty(this.source.terminalId)?.resize(size.columns, size.rows);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#terminal.dispose();
    this.#written.dispose();
  }
}
