import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { UserEntry } from '../../../shared/state/sessionState';
import { messageAttachments } from '../../../shared/text/priorConversation';
import { sentKey } from '../../page/messageEditMemory';
import { MessageEditor } from '../composer/messageEditor';
import { useHostMessage, usePage } from '../pageContext';

/**
 * Edits a sent message and sends it again from its position. The host may ask, refuse, or show the session that
 * continues.
 */
export function SentMessageEditor({ entry, index }: { entry: UserEntry; index: number }): JSX.Element {
  const { store, post, events, editing, stick } = usePage();
  const session = store.state?.id ?? '';
  const busy = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const note = useRef<HTMLParagraphElement>(null);
  // The editor is higher than its message: following the end would move its upper edge out of the view.
  useLayoutEffect(() => {
    stick.peek()?.release();
    note.current?.closest('article')?.scrollIntoView({ block: 'nearest' });
  }, [stick]);
  useHostMessage('resendEnded', (ended) => {
    if (ended.session !== session || ended.entry !== index) return;
    busy.value = false;
    problem.value = ended.problem;
  });
  return (
    <>
      <MessageEditor
        label={t('Edit message')}
        message={{ text: entry.text, attached: messageAttachments(entry.blocks) }}
        memoryKey={sentKey(session, index)}
        submitLabel={t('Send')}
        busy={busy.value}
        problem={problem.value}
        onSubmit={(text, attachments) => {
          busy.value = true;
          problem.value = undefined;
          post({ type: 'resend', entry: index, text, attachments });
        }}
        onCancel={() => {
          editing.value = undefined;
          events.focusComposer.fire();
        }}
      />
      <p class="editor-note meta muted" ref={note}>
        {hintOf(store.checkpoints.value.some((mark) => mark.entry === index))}
      </p>
    </>
  );
}

/** Describes the effect of sending. */
function hintOf(hasCheckpoint: boolean): string {
  return hasCheckpoint
    ? t('Restores files and continues in a new session. The original is kept.')
    : t('Continues in a new session. Files are not restored because there is no checkpoint. The original is kept.');
}
