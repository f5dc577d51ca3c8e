import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import type { Attachment } from '../../../shared/state/attachments';
import { attachmentKey } from '../../../shared/state/attachments';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { EditorChip } from './editorContextChip';

const AttachmentRemarks = lazyComponent(async () => (await import('./refusals')).AttachmentRemarks);
const AttachedChip = lazyComponent(async () => (await import('./attachedChip')).AttachedChip);
const SessionFolder = lazyComponent(async () => (await import('./configOptions/folderChoice')).SessionFolder);

interface AttachmentsProps {
  readonly attached: readonly Attachment[];
  /** Why attachments or messages were refused. */
  readonly remarks: Signal<readonly string[]>;
  readonly onRemove: (attachment: Attachment) => void;
}

/** A row of chips above the text, which keeps its place when the first chip appears. */
export function Attachments({ attached, remarks, onRemove }: AttachmentsProps): JSX.Element {
  const { store } = usePage();
  return (
    <>
      {remarks.value.length > 0 && <AttachmentRemarks remarks={remarks} />}
      <div class="attachments">
        {store.isFolderShown.value && <SessionFolder />}
        <EditorChip attached={attached} />
        {attached.length > 0 && (
          <ul class="attached" aria-label={t('Attached')}>
            {attached.map((attachment) => (
              <AttachedChip
                key={attachmentKey(attachment)}
                attachment={attachment}
                onRemove={() => onRemove(attachment)}
              />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
