import { randomUUID } from 'node:crypto';
import { ParleyError } from '../base/errors';
import { t } from '../base/l10n';
import type { SessionListItem } from '../history/sessionSummary';
import type { Session } from './session';
import type { Sessions } from './sessions';

/**
 * Creates Parley's session for a session that only the agent has stored.
 * @throws ParleyError `notFound` when the item names no agent
 */
export function createFromList({ agent, agentSession, title }: SessionListItem, sessions: Sessions): Session {
  if (!agent || !agentSession) throw new ParleyError('notFound', t('The transcript of this session no longer exists.'));
  const session = sessions.open.create(randomUUID());
  session.dispatch({ type: 'agentNamed', agent });
  session.dispatch({ type: 'agentSessionOpened', session: agentSession });
  session.dispatch({ type: 'titleChanged', title });
  return session;
}

/** Says why a session that was resumed has no messages. */
export function explainEmpty(session: Session): void {
  const title = t('{0} resumed this session', session.state.agent?.title ?? t('The agent'));
  const text = t('The agent cannot show the earlier messages of this session.');
  session.dispatch({ type: 'noticeShown', severity: 'info', title, text, at: Date.now() });
}
