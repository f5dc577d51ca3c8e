import * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import type { Tty } from './commandHandle';

interface TerminalViewOptions {
  readonly title: string;
  /** Output of a terminal contains carriage returns; output of a pipe has plain line feeds. */
  readonly raw: boolean;
  /** Receives keys; undefined when the command accepts none. */
  tty(): Tty | undefined;
  /** The user or Parley closed the terminal. */
  onClosed(): void;
}

/**
 * Live output of a command in a VS Code terminal. The user's input is sent to the command if it has a pseudo-terminal.
 */
export class TerminalMirror implements Disposable {
  readonly #options: TerminalViewOptions;
  readonly #terminal: vscode.Terminal;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;
  /** Output before the terminal was ready. */
  #early: string[] | undefined = [];
  #afterReturn = false;

  constructor(options: TerminalViewOptions) {
    this.#options = options;
    this.#terminal = vscode.window.createTerminal({
      name: options.title,
      iconPath: new vscode.ThemeIcon('hubot'),
      isTransient: true,
      pty: {
        onDidWrite: this.#written.event,
        open: (size: vscode.TerminalDimensions | undefined) => this.#open(size),
        // Closing the terminal does not stop the command.
        close: () => options.onClosed(),
        handleInput: (data: string) => options.tty()?.write(data),
        setDimensions: (size: vscode.TerminalDimensions) => this.#resize(size),
      },
    });
    this.#subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed === this.#terminal) options.onClosed();
    });
  }

  /** Reveals the terminal without focusing it. */
  show(): void {
    this.#terminal.show(true);
  }

  write(text: string): void {
    const data = this.#options.raw ? text : this.#withReturns(text);
    if (this.#early) this.#early.push(data);
    else this.#written.fire(data);
  }

  /** Writes a line that is not part of the command's output. */
  note(text: string): void {
    this.write(`\r\n\u001B[0;2m${text}\u001B[0m\r\n`);
  }

  #open(size: vscode.TerminalDimensions | undefined): void {
    this.#resize(size);
    const early = this.#early ?? [];
    this.#early = undefined;
    if (early.length > 0) this.#written.fire(early.join(''));
  }

  /** Full-screen programs need the terminal's size. */
  #resize(size: vscode.TerminalDimensions | undefined): void {
    if (size && size.columns > 0 && size.rows > 0) this.#options.tty()?.resize(size.columns, size.rows);
  }

  #withReturns(text: string): string {
    let result = text.replaceAll(/\r?\n/g, '\r\n');
    if (this.#afterReturn && text.startsWith('\n')) result = result.slice(1);
    this.#afterReturn = text === '' ? this.#afterReturn : text.endsWith('\r');
    return result;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#terminal.dispose();
    this.#written.dispose();
  }
}
