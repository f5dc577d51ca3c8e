import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { usePage } from '../pageContext';

interface RejectReasonProps {
  readonly permissionId: string;
  /** Goes back to the options. */
  readonly onBack: () => void;
}

/** Rejects the request on Enter; the reason goes to the agent as the user's next words. */
export function RejectReason({ permissionId, onBack }: RejectReasonProps): JSX.Element {
  const { post, events } = usePage();
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // 229: Chromium's last key of a composition.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') onBack();
    else if (event.key === 'Enter' && !event.shiftKey) {
      post({ type: 'rejectAndExplain', permissionId, reason: box.current?.value ?? '' });
      events.focusComposer.fire();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field">
      <textarea
        ref={box}
        class="input"
        rows={2}
        dir="auto"
        aria-label={t('Reason')}
        placeholder={t('What should the agent do instead? Enter rejects and sends this.')}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
