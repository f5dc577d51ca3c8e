import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Attachment } from '../../../shared/protocol/attachments';
import { usePage } from '../pageContext';
import type { ComposerAttachments } from './useAttachments';

/**
 * Handles messages started elsewhere in the editor, such as "Fix with Agent": sends them if requested and possible, else appends them to
 * the draft.
 */
export function useComposeRequests(
  text: Signal<string>,
  attached: Signal<readonly Attachment[]>,
  attach: ComposerAttachments['attach'],
): void {
  const { store, focus, post } = usePage();
  useLayoutEffect(() => {
    focus.compose = ({ text: begun, attachments, send }) => {
      const isFree = text.peek().trim() === '' && attached.peek().length === 0;
      if (send && isFree && store.turn.peek().status !== 'running') {
        post({ type: 'send', text: begun, ...(attachments.length > 0 && { attachments }) });
        return;
      }
      focus.insert?.(begun);
      attach(attachments, []);
      focus.composer?.();
    };
    return () => delete focus.compose;
  });
}
