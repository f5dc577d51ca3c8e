import * as vscode from 'vscode';
import { resumeCommand } from '../agent/quirks/resumeCommand';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { SessionListItem } from '../history/sessionSummary';
import { mergeCalls } from '../node/mergeCalls';
import type { SessionCatalog } from '../session/sessionCatalog';
import type { Sessions } from '../session/sessions';
import { ContextKeys } from '../workbench/contextKeys';
import { pendingForms, pendingRequests } from './pendingRequests';
import type { SessionTree } from './sessions/sessionTree';
import { badgeFor, statusText } from './statusBarText';
import type { Chat } from './window';

/** The status bar item and the context keys, derived from the sessions. */
export class StatusBar implements Disposable {
  readonly #store = new DisposableStore();
  readonly #item = this.#store.add(
    vscode.window.createStatusBarItem('parley.status', vscode.StatusBarAlignment.Right, 100),
  );
  readonly #contextKeys = new ContextKeys();
  /**
   * Sessions with activity; undefined: to be computed again. Cached, because the list may be long and text arrives many
   * times a second.
   */
  #busy: readonly SessionListItem[] | undefined;
  #badge = '';
  readonly #schedule = mergeCalls(this.#store, () => this.#update());

  constructor(
    private readonly sessions: Sessions,
    private readonly catalog: SessionCatalog,
    private readonly chat: Chat,
    private readonly tree: SessionTree,
  ) {
    this.#item.name = 'Parley';
    this.#store.add(sessions.onDidChange(() => this.#schedule()));
    this.#store.add(sessions.onDidChangeActive(() => this.#schedule()));
    this.#store.add(
      catalog.onDidChange(() => {
        this.#busy = undefined;
        this.#schedule();
      }),
    );
    this.#update();
    this.#item.show();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(): void {
    const { state } = this.sessions.active;
    const requests = pendingRequests(this.sessions).length;
    const waiting = requests + pendingForms(this.sessions).length;
    const all = (this.#busy ??= this.catalog.items().filter((one) => one.status !== 'idle' && !one.archived));
    const { text, tooltip, label } = statusText(state, waiting, all);
    if (text !== this.#item.text || tooltip !== this.#item.tooltip) {
      Object.assign(this.#item, { text, tooltip, accessibilityInformation: { label, role: 'button' } });
      this.#item.command = waiting > 0 ? 'parley.showWaiting' : 'parley.focusChat';
      const color = waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
      this.#item.backgroundColor = color;
    }
    this.#updateBadge(badgeFor(waiting, all));
    this.#contextKeys.set('parley.running', state.turn.status === 'running');
    this.#contextKeys.set('parley.waiting', requests > 0);
    this.#contextKeys.set('parley.chatInWorktree', state.branch !== undefined);
    const { program, id = '' } = state.agentSession ?? {};
    this.#contextKeys.set('parley.canResumeInTerminal', resumeCommand(program, id) !== undefined);
  }

  #updateBadge(badge: vscode.ViewBadge | undefined): void {
    const key = JSON.stringify(badge) ?? '';
    if (key === this.#badge) return;
    this.#badge = key;
    this.chat.setBadge(badge, this.tree);
  }
}
