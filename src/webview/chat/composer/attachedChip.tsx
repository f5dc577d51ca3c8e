import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Attachment } from '../../../shared/state/attachments';
import { Icon } from '../../controls/icon';
import { attachmentIcon, baseName } from './attachmentIcon';

export function AttachedChip({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }): JSX.Element {
  const name = escapeInvisibleInline(attachment.label);
  return (
    <li class="chip">
      <Thumbnail attachment={attachment} />
      <bdi class="chip-name" title={name}>
        {baseName(attachment, name)}
      </bdi>
      <button
        type="button"
        class="chip-button"
        aria-label={t('Remove {0}', name)}
        title={t('Remove')}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function Thumbnail({ attachment }: { attachment: Attachment }): JSX.Element {
  if (attachment.kind === 'data' && attachment.mimeType.startsWith('image/')) {
    return <img class="thumbnail" alt="" src={`data:${attachment.mimeType};base64,${attachment.data}`} />;
  }
  return <Icon name={attachmentIcon(attachment)} />;
}
