import * as vscode from 'vscode';
import type { OutputView } from './terminal';

/** A command's output in a terminal of VS Code: live, for reading only. */
export class TerminalView implements OutputView {
  readonly #terminal: vscode.Terminal;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;
  /** What came before the terminal was ready to show anything. */
  #early: string[] | undefined = [];
  #afterReturn = false;

  /** @param onClosed the person has closed the terminal. */
  constructor(title: string, onClosed: () => void) {
    this.#terminal = vscode.window.createTerminal({
      name: title,
      iconPath: new vscode.ThemeIcon('hubot'),
      isTransient: true,
      pty: {
        onDidWrite: this.#written.event,
        open: () => this.#open(),
        close: () => onClosed(),
        // Closing the terminal does not stop the command, and keys go nowhere.
        handleInput: () => undefined,
      },
    });
    this.#subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed === this.#terminal) onClosed();
    });
  }

  /** Brings it to the front, without taking the focus. */
  show(): void {
    this.#terminal.show(true);
  }

  write(text: string): void {
    const data = this.#withReturns(text);
    if (this.#early) this.#early.push(data);
    else this.#written.fire(data);
  }

  /** A line that is not the command's own. */
  note(text: string): void {
    this.write(`\r\n\u001B[2m${text}\u001B[0m\r\n`);
  }

  #open(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (early.length > 0) this.#written.fire(early.join(''));
  }

  /** A pipe has bare line feeds; a terminal needs the carriage return before them. */
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
