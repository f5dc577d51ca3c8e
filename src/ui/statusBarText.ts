import { t } from '../base/l10n';
import { escapeInvisibleInline, escapeIconSyntax } from '../base/untrustedText';
import type { SessionListItem, SessionStatus } from '../history/sessionSummary';
import type { SessionState } from '../shared/state/sessionState';
import { connectionText } from '../shared/text/statusText';

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
