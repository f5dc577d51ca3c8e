import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { Icon } from '../../controls/icon';
import { usePage } from '../pageContext';
import type { LinkedPrompt } from './useLinkedPrompt';

/** Marks text of a link until it is sent or reverted, and a message that is sent to several agents. */
export function LinkedPromptNote(props: {
  readonly text: Signal<string>;
  readonly filled: Signal<LinkedPrompt | undefined>;
}): JSX.Element | null {
  const { store, events } = usePage();
  const { text, filled } = props;
  const note = filled.value;
  // Reads `epoch` to subscribe to changes of the session: each session has its own draft.
  if (!note || store.epoch.value === undefined || note.session !== store.state?.id) return null;
  const isRace = note.to === 'race';
  const close = (shouldFocus: boolean): void => {
    if (shouldFocus) text.value = note.before;
    filled.value = undefined;
    events.focusComposer.fire();
  };
  return (
    <div class="link-note" role="status" aria-label={isRace ? t('Race') : t('Filled in by a link')}>
      <p>
        <Icon name={isRace ? 'git-branch' : 'link'} />
        <span>
          {noteText(isRace, text.value)}
          {note.remarks.map((remark) => (
            <span key={remark}> {remark}</span>
          ))}
        </span>
      </p>
      <span class="link-note-actions">
        <button type="button" class="button" onClick={() => close(false)}>
          {isRace ? t('Leave Race') : t('Dismiss')}
        </button>
        {!isRace && (
          <button type="button" class="button" onClick={() => close(true)}>
            {t('Undo')}
          </button>
        )}
      </span>
    </div>
  );
}

function noteText(isRace: boolean, text: string): string {
  if (isRace)
    return t('Each agent gets this message and works in its own Git worktree. You select the agents when you send it.');
  return text.trim() === ''
    ? t('A link opened this chat.')
    : t('A link filled in this message. Review the message before you send it.');
}
