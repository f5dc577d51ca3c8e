import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Attachment } from '../../../shared/state/attachments';
import { attachmentKey } from '../../../shared/state/attachments';
import { Icon } from '../../controls/icon';
import type { EditorContextMode } from '../../page/draftMemory';
import { usePage } from '../pageContext';
import { attachmentIcon, baseName } from './attachmentIcon';

export function editorAttachment(choice: EditorContextMode, shown: Attachment | undefined): Attachment | undefined {
  if (choice === 'off') return undefined;
  return choice === 'on' ? shown : choice;
}

/** The editor's file or selection: attached to each message, pinned, or disabled. */
export function EditorChip({ attached }: { attached: readonly Attachment[] }): JSX.Element | null {
  const { store, editor } = usePage();
  const choice = editor.value;
  const shown = store.environment.value.editor;
  const attachment = typeof choice === 'object' ? choice : shown;
  if (!attachment || attached.some((one) => attachmentKey(one) === attachmentKey(attachment))) return null;
  const name = escapeInvisibleInline(attachment.label);
  const isOn = choice !== 'off';
  const isPinned = typeof choice === 'object';
  const what = attachment.kind === 'lines' ? t('the selection') : t('the name of the open file');
  const title = isOn
    ? t('{0}: {1} is sent with your message. Click to exclude it.', name, what)
    : t('{0} is not sent. Click to include it.', name);
  return (
    <div class={isOn ? 'chip editor-chip' : 'chip editor-chip off'} role="group" aria-label={t('Editor context')}>
      <button
        type="button"
        class="chip-main"
        aria-label={t('Send {0}', name)}
        aria-pressed={isOn}
        title={title}
        onClick={() => (editor.value = isOn ? 'off' : 'on')}
      >
        <Icon name={isOn ? attachmentIcon(attachment) : 'eye-closed'} />
        <bdi class="chip-name">{baseName(attachment, name)}</bdi>
      </button>
      <button
        type="button"
        class="chip-button"
        aria-label={t('Pin {0}', name)}
        aria-pressed={isPinned}
        title={isPinned ? t('Unpin and follow the active editor') : t('Keep this context when you switch editors')}
        onClick={() => (editor.value = isPinned ? 'on' : attachment)}
      >
        <Icon name={isPinned ? 'pinned' : 'pin'} />
      </button>
    </div>
  );
}
