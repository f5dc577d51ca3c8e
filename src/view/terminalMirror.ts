import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, toDisposable } from '../base/lifecycle';
import { firstLine, shorten } from '../base/text';
import { showHiddenInLine } from '../base/visible';
import { exitText } from '../shared/words';
import type { ViewSession } from './ports';

/** Shows the output of an agent's command in terminals of VS Code; what is typed there goes nowhere. */
export class TerminalMirrors implements Disposable {
  readonly #mirrors = new Map<string, vscode.Terminal>();
  readonly #store = new DisposableStore();

  constructor() {
    this.#store.add(vscode.window.onDidCloseTerminal((terminal) => this.#forget(terminal)));
  }

  /** Opens a terminal with the same output, or brings back the one that is open. */
  show(session: ViewSession, terminalId: string): void {
    const source = session.state.terminals[terminalId];
    if (!source) return;
    const key = `${session.id}\n${terminalId}`;
    let terminal = this.#mirrors.get(key);
    if (!terminal) {
      const name = shorten(showHiddenInLine(firstLine(source.command)), 60);
      terminal = vscode.window.createTerminal({ name, pty: new Mirror(session, terminalId), isTransient: true });
      this.#mirrors.set(key, terminal);
    }
    terminal.show(true);
  }

  dispose(): void {
    for (const terminal of this.#mirrors.values()) terminal.dispose();
    this.#mirrors.clear();
    this.#store.dispose();
  }

  #forget(closed: vscode.Terminal): void {
    for (const [key, terminal] of this.#mirrors) if (terminal === closed) this.#mirrors.delete(key);
  }
}

class Mirror implements vscode.Pseudoterminal {
  readonly #session: ViewSession;
  readonly #terminalId: string;
  readonly #written = new vscode.EventEmitter<string>();
  #subscription: Disposable = toDisposable(() => {});

  readonly onDidWrite = this.#written.event;

  constructor(session: ViewSession, terminalId: string) {
    this.#session = session;
    this.#terminalId = terminalId;
  }

  open(): void {
    const source = this.#session.state.terminals[this.#terminalId];
    this.#write(source?.output ?? '');
    if (source?.exit) this.#ended(source.exit);
    this.#subscription = this.#session.onDidDispatch(({ action }) => {
      if (!('terminalId' in action) || action.terminalId !== this.#terminalId) return;
      if (action.type === 'terminalOutput') this.#write(action.data);
      else if (action.type === 'terminalExited') this.#ended(action);
    });
  }

  close(): void {
    this.#subscription.dispose();
    this.#written.dispose();
  }

  /** Output of a pipe has bare line feeds; a terminal wants the carriage back as well. */
  #write(data: string): void {
    this.#written.fire(data.replace(/\r?\n/g, '\r\n'));
  }

  #ended(exit: { readonly code?: number; readonly signal?: string }): void {
    this.#write(`\u001b[0m\n[ended: ${exitText(exit)}]\n`);
  }
}
