import { errorSentences } from '../../base/errors';
import { t } from '../../base/l10n';
import type { EditAndResend, Restored } from '../../session/commands/editAndResend';
import type { BranchIntent } from '../../shared/protocol/turnIntents';
import type { Notice } from '../../workbench/notice';
import type { IntentSource } from '../window';

/** Handles an action on an earlier message, and reports the result to its page. */
export async function handleBranch(branches: EditAndResend, from: IntentSource, intent: BranchIntent): Promise<void> {
  if (intent.type === 'resend') await resend(branches, from, intent);
  else await fork(branches, from, intent.entry);
}

async function resend(
  branches: EditAndResend,
  { session, page }: IntentSource,
  { entry, text, attachments = [] }: Extract<BranchIntent, { type: 'resend' }>,
): Promise<void> {
  const resent = await branches.resend(session.id, entry, text, attachments);
  const ended = { type: 'resendEnded', session: session.id, entry } as const;
  if (resent.type === 'ready') {
    const shown = await page.showChat(resent.session);
    // Sent to a page that still shows the source session, too, such as a tab.
    page.post({ ...ended, sent: true });
    shown.post({ type: 'focusComposer' });
    if (resent.restored) shown.showNotice(restoredNotice(resent.restored), resent.session);
    await resent.start();
    return;
  }
  if (resent.type === 'canceled') {
    page.post(ended);
    return;
  }
  const { message, restored } = resent;
  page.post({
    ...ended,
    problem: restored
      ? t('{0} The files have already been restored to the state before this message.', message)
      : message,
  });
  // Files may have been restored although the message was not sent.
  if (restored) page.showNotice({ ...restoredNotice(restored), isWarning: true }, session);
}

function restoredNotice({ text, skipped, undo }: Restored): Notice {
  return { text, details: skipped, isWarning: skipped.length > 0, button: { label: t('Undo'), run: undo } };
}

async function fork(branches: EditAndResend, { session, page }: IntentSource, entry: number): Promise<void> {
  try {
    const forked = await branches.fork(session.id, entry);
    const shown = await page.showChat(forked.session);
    shown.post({ type: 'focusComposer' });
    if (!forked.draft) return;
    const { text, attachments } = forked.draft;
    if (text !== '') shown.post({ type: 'insertText', text });
    if (attachments.length > 0) shown.post({ type: 'attach', attachments, remarks: [] });
  } catch (error) {
    page.showNotice({ text: errorSentences(error), isWarning: true }, session);
  }
}
