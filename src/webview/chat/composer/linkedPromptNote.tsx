import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { useHostMessage, usePage } from '../pageContext';
import { Icon } from '../../controls/icon';

/** A text that a link has put into the message box. */
export interface LinkedPrompt {
  readonly session: string;
  /** Ignored parts of the link. */
  readonly remarks: readonly string[];
  /** The draft before. */
  readonly before: string;
  /** Milliseconds of the page's clock. */
  readonly at: number;
}

/** Milliseconds for which Enter does not send: the key press may have been meant for another window. */
const GUARD = 500;

export function isRecentlyFilled(filled: LinkedPrompt | undefined): boolean {
  return filled !== undefined && performance.now() - filled.at < GUARD;
}

/** Fills the box from links; only the user sends it. */
export function useLinkedPrompt(text: Signal<string>, filled: Signal<LinkedPrompt | undefined>): void {
  const { store, hostMessages } = usePage();
  useHostMessage('fillComposer', ({ session, text: filling, remarks }) => {
    if (session !== store.state?.id) return;
    filled.value = { session, remarks, before: text.peek(), at: performance.now() };
    if (filling !== '') text.value = filling;
    hostMessages.fire({ type: 'focusComposer' });
  });
}

/** Marks text of a link until it is sent or reverted. */
export function LinkedPromptNote(props: {
  readonly text: Signal<string>;
  readonly filled: Signal<LinkedPrompt | undefined>;
}): JSX.Element | null {
  const { store, hostMessages } = usePage();
  const { text, filled } = props;
  const note = filled.value;
  // Reads `epoch` to subscribe to changes of the session: each session has its own draft.
  if (!note || store.epoch.value === undefined || note.session !== store.state?.id) return null;
  const what =
    text.value.trim() === ''
      ? t('A link opened this chat.')
      : t('A link filled in this message. Review the message before you send it.');
  const close = (back: boolean): void => {
    if (back) text.value = note.before;
    filled.value = undefined;
    hostMessages.fire({ type: 'focusComposer' });
  };
  return (
    <div class="link-note" role="status" aria-label={t('Filled in by a link')}>
      <p>
        <Icon name="link" />
        <span>
          {what}
          {note.remarks.map((remark) => (
            <span key={remark}> {remark}</span>
          ))}
        </span>
      </p>
      <span class="link-note-actions">
        <button type="button" class="button" onClick={() => close(false)}>
          {t('Dismiss')}
        </button>
        <button type="button" class="button" onClick={() => close(true)}>
          {t('Undo')}
        </button>
      </span>
    </div>
  );
}
