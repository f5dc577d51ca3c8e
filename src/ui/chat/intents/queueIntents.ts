import { assertNever } from '../../../base/assert';
import { t } from '../../../base/l10n';
import type { QueueIntent } from '../../../shared/protocol/turnIntents';
import type { IntentPage, UiSession } from '../../uiTypes';

/** Where an intent comes from: the session it was meant for when the user acted, and the page, for what answers it. */
export interface IntentSource {
  readonly session: UiSession;
  readonly page: IntentPage;
}

/** Carries out what the user does with the messages that wait. */
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

/** What was changed too late is not lost: it goes into the message box. */
function change(
  { id, text, attachments = [] }: Extract<QueueIntent, { type: 'changeQueued' }>,
  { session, page }: IntentSource,
): void {
  if (session.queue.change(id, text, attachments)) return;
  const reason = t('The message has gone out meanwhile as it was before. Here is what you changed it to.');
  page.tell({ type: 'sendRefused', session: session.id, text, attachments, reason });
}
