import * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import type { Tty } from './commandHandle';

export interface TerminalViewOptions {
  readonly title: string;
  /** The output comes from a terminal and has its carriage returns; a pipe has bare line feeds. */
  readonly raw: boolean;
  /** Where keys go, as long as there is somewhere. */
  tty(): Tty | undefined;
  /** The terminal is closed, by whomever. */
  onClosed(): void;
}

/** A command's output in a terminal of VS Code, live. What the user types goes to the command where that has a terminal. */
export class TerminalMirror implements Disposable {
  readonly #options: TerminalViewOptions;
  readonly #terminal: vscode.Terminal;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;
  /** What came before the terminal was ready to show anything. */
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

  /** Brings it to the front, without taking the focus. */
  show(): void {
    this.#terminal.show(true);
  }

  write(text: string): void {
    const data = this.#options.raw ? text : this.#withReturns(text);
    if (this.#early) this.#early.push(data);
    else this.#written.fire(data);
  }

  /** A line that is not the command's own. */
  note(text: string): void {
    this.write(`\r\n\u001B[0;2m${text}\u001B[0m\r\n`);
  }

  #open(size: vscode.TerminalDimensions | undefined): void {
    this.#resize(size);
    const early = this.#early ?? [];
    this.#early = undefined;
    if (early.length > 0) this.#written.fire(early.join(''));
  }

  /** Programs that fill the screen need to know how large it is. */
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
