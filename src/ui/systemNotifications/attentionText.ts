import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { listTitle } from '../../history/sessionSummary';
import { stopReasonNotice } from '../../shared/text/statusText';
import { formText, pendingFormAt, pendingRequestAt } from '../pendingRequests';
import type { SystemNotificationText } from '../window';
import type { Attention } from './attention';

/** Milliseconds; the end of a shorter turn is not reported. */
const LONG_TURN_MS = 10_000;

/** UTF-16 units. */
const MAX_TITLE = 80;
const MAX_BODY = 200;

/**
 * The session's title, and what is asked or how the turn ended. Input and output of tools are left out, because lock
 * screens show notifications. Undefined for an event without a notification.
 */
export function attentionText(attention: Attention): SystemNotificationText | undefined {
  const body = attention.type === 'waiting' ? requestBody(attention) : turnBody(attention);
  if (body === undefined) return undefined;
  const { title } = attention.session.state;
  const shown = title === undefined ? 'Parley' : listTitle(title);
  return { title: oneLine(shown, MAX_TITLE), body: oneLine(body, MAX_BODY) };
}

function requestBody({ session, entry }: Extract<Attention, { type: 'waiting' }>): string | undefined {
  const request = pendingRequestAt(session, entry);
  if (request?.permission.titleNamesCaller) return request.permission.title;
  if (request) return t('{0} asks: {1}', agentOf(session.state), request.permission.title);
  const form = pendingFormAt(session, entry);
  return form && formText(form);
}

function turnBody({ session, turn }: Extract<Attention, { type: 'turnEnded' }>): string | undefined {
  if (!turn) return undefined;
  const agent = agentOf(session.state);
  if (turn.stopReason === 'error') return t('{0} failed.', agent);
  // The user has ended these turns.
  if (['cancelled', 'interrupted', 'agentRestarted'].includes(turn.stopReason) || turn.ms <= LONG_TURN_MS)
    return undefined;
  const reason = stopReasonNotice(turn.stopReason)?.title;
  return reason === undefined ? t('{0} has finished.', agent) : `${agent}: ${reason}`;
}

function agentOf({ agent }: Attention['session']['state']): string {
  return agent?.title ?? t('The agent');
}

function oneLine(text: string, max: number): string {
  return truncate(escapeInvisibleInline(text).trim(), max);
}
