import * as vscode from 'vscode';
import { resumeCommand } from '../agent/quirks/resumeCommand';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { SessionCatalog } from '../session/sessionCatalog';
import type { SessionListItem, SessionStatus } from '../history/sessionSummary';
import type { Badge } from './chat/chatView';
import type { UiSessions } from './uiTypes';
import { pendingForms, pendingRequests } from './pendingRequests';
import { ContextKeys } from '../workbench/contextKeys';
import { mergeCalls } from '../node/mergeCalls';
import { t } from '../base/l10n';
import { escapeInvisibleInline, escapeIconSyntax } from '../base/untrustedText';
import type { SessionState } from '../shared/state/sessionState';
import { connectionText } from '../shared/text/statusText';

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
    private readonly sessions: UiSessions,
    private readonly catalog: Pick<SessionCatalog, 'items' | 'onDidChange'>,
    /** Receives the badge of the view. */
    private readonly onBadge: (badge: Badge) => void,
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
    const { program, id = '' } = state.agentSession ?? {};
    this.#contextKeys.set('parley.canResumeInTerminal', resumeCommand(program, id) !== undefined);
  }

  #updateBadge(badge: Badge): void {
    const key = JSON.stringify(badge) ?? '';
    if (key === this.#badge) return;
    this.#badge = key;
    this.onBadge(badge);
  }
}

/** The content of the status bar item. Pure. */
interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  /** For screen readers: without icon codes. */
  readonly label: string;
}

/** A session's label in lists, and whether it is the active one. */
type ListedStatus = Pick<SessionListItem, 'title' | 'agent' | 'status' | 'isActive'>;

/** Maximum number of sessions in the tooltip. */
const MAX_NAMED = 8;

/**
 * Agent, state, and "n waiting" when requests are pending; then activity of other sessions.
 * @param waiting pending requests of all sessions
 * @param all all sessions; idle ones are ignored
 */
export function statusText(state: SessionState, waiting: number, all: readonly ListedStatus[] = []): StatusText {
  const { agent, connection, turn } = state;
  const isWorking = agent !== undefined && connection.status === 'ready' && turn.status === 'running';
  const agentText = escapeInvisibleInline(
    isWorking ? t('{0}: working', agent.title) : connectionText(agent, connection),
  );
  const otherStatuses = all.filter(({ isActive }) => !isActive).map(({ status }) => status);
  const parts = [agentText, ...countTexts(waiting, otherStatuses, all)];
  const label = t('Parley: {0}', parts.join(', '));
  const action = waiting > 0 ? t('Click to answer waiting requests.') : t('Click to open the chat.');
  return {
    text: `$(${iconOf(state, waiting)}) ${escapeIconSyntax(parts.join(', '))}`,
    tooltip: [label, ...nameSessions(all), action].join('\n'),
    label,
  };
}

/** The number on the view's icon and its tooltip: pending requests plus unread sessions. */
export function badgeFor(
  waiting: number,
  all: readonly ListedStatus[],
): { value: number; tooltip: string } | undefined {
  const unread = all.filter(({ status }) => status === 'unread').length;
  const value = waiting + unread;
  if (value === 0) return undefined;
  const texts = countTexts(
    waiting,
    all.map(({ status }) => status),
    all,
  );
  return { value, tooltip: texts.join(', ') };
}

/** @param running statuses that count as running */
function countTexts(waiting: number, running: readonly SessionStatus[], all: readonly ListedStatus[]): string[] {
  const runs = running.filter((status) => status === 'running').length;
  const unread = all.filter(({ status }) => status === 'unread').length;
  return [
    waiting > 0 ? t('{0} waiting', waiting) : '',
    runs > 0 ? t('{0} running', runs) : '',
    unread > 0 ? t('{0} unread', unread) : '',
  ].filter(Boolean);
}

/** One line per active session, the most urgent first. */
function nameSessions(all: readonly ListedStatus[]): string[] {
  const order: readonly SessionStatus[] = ['waiting', 'running', 'unread'];
  const lines = order.flatMap((status) => all.filter((each) => each.status === status).map(sessionLine));
  const more = lines.length - MAX_NAMED;
  return more > 0 ? [...lines.slice(0, MAX_NAMED), t('And {0} more', more)] : lines;
}

function sessionLine({ title, agent, status }: ListedStatus): string {
  const name = escapeInvisibleInline(agent === undefined ? title : `${title} (${agent.title})`);
  if (status === 'waiting') return t('Waiting for you: {0}', name);
  return status === 'running' ? t('Running: {0}', name) : t('Unread: {0}', name);
}

function iconOf(state: SessionState, waiting: number): string {
  if (waiting > 0) return 'bell-dot';
  if (state.connection.status === 'failed' || state.connection.status === 'exited') return 'error';
  return state.turn.status === 'running' || ['starting', 'reconnecting'].includes(state.connection.status)
    ? 'loading~spin'
    : 'comment-discussion';
}
