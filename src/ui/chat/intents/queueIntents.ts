import { assertNever } from '../../../base/assert';
import { t } from '../../../base/l10n';
import type { QueueIntent } from '../../../shared/protocol/turnIntents';
import type { IntentPage, UiSession } from '../../uiTypes';

/** The session in which the user acted, and the page that gets the answer. */
export interface IntentSource {
  readonly session: UiSession;
  readonly page: IntentPage;
}

export function handleQueue(intent: QueueIntent, from: IntentSource): Promise<void> | void {
  const { queue } = from.session;
  switch (intent.type) {
    case 'changeQueued':
      return change(intent, from);
    case 'moveQueued':
      return queue.move(intent.id, intent.to);
    case 'removeQueued':
      return queue.remove(intent.id);
    case 'sendQueued':
      return queue.sendNow(intent.id);
    case 'holdQueued':
      return queue.hold(intent.id, from.page);
    case 'resumeQueue':
      return queue.resume();
    default:
      return assertNever(intent);
  }
}

/** A change that came too late goes into the message box. */
function change(
  { id, text, attachments = [] }: Extract<QueueIntent, { type: 'changeQueued' }>,
  { session, page }: IntentSource,
): void {
  if (session.queue.change(id, text, attachments)) return;
  const reason = t('The message has gone out meanwhile as it was before. Here is what you changed it to.');
  page.tell({ type: 'sendRefused', session: session.id, text, attachments, reason });
}
