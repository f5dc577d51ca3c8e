import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { ViewSessions } from './ports';
import { statusText } from './status';
import { waitingForms, waitingRequests } from './waiting';

export interface StatusBarOptions {
  readonly sessions: ViewSessions;
  /** Told how many requests wait, for the badge of the view. */
  onWaiting(count: number): void;
}

/** The item in the status bar and the context keys of commands: whatever follows from the sessions and is small. */
export class StatusBar implements Disposable {
  readonly #store = new DisposableStore();
  readonly #item = this.#store.add(
    vscode.window.createStatusBarItem('parley.status', vscode.StatusBarAlignment.Right, 100),
  );
  readonly #options: StatusBarOptions;
  readonly #contexts = new Map<string, boolean>();
  #scheduled = false;

  constructor(options: StatusBarOptions) {
    this.#options = options;
    this.#item.name = 'Parley';
    this.#store.add(options.sessions.onDidChange(() => this.#schedule()));
    this.#store.add(options.sessions.onDidChangeActive(() => this.#schedule()));
    this.#update();
    this.#item.show();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Thousands of actions in one go are one update. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#store.isDisposed) this.#update();
    });
  }

  #update(): void {
    const { sessions } = this.#options;
    const { state } = sessions.active;
    const requests = waitingRequests(sessions).length;
    const waiting = requests + waitingForms(sessions).length;
    const { text, tooltip, label } = statusText(state, waiting);
    if (text !== this.#item.text) {
      Object.assign(this.#item, { text, tooltip, accessibilityInformation: { label, role: 'button' } });
      this.#item.command = waiting > 0 ? 'parley.showWaiting' : 'parley.focusChat';
      const colour = waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
      this.#item.backgroundColor = colour;
    }
    this.#options.onWaiting(waiting);
    this.#setContext('parley.running', state.turn.status === 'running');
    this.#setContext('parley.waiting', requests > 0);
  }

  #setContext(key: string, value: boolean): void {
    if (this.#contexts.get(key) === value) return;
    this.#contexts.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
