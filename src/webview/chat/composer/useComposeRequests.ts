import type { Signal } from '@preact/signals';
import type { Attachment } from '../../../shared/state/attachments';
import { useHostMessage, usePage } from '../pageContext';
import { reportComposing } from '../reportComposing';
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
  const page = usePage();
  const { store, hostMessages, post } = page;
  useHostMessage('compose', ({ text: started, attachments, send }) => {
    const isFree = text.peek().trim() === '' && attached.peek().length === 0;
    if (send && isFree && store.turn.peek().status !== 'running') {
      post({ type: 'send', text: started, ...(attachments.length > 0 && { attachments }) });
      return;
    }
    reportComposing(page);
    hostMessages.fire({ type: 'insertText', text: started });
    attach(attachments, []);
    hostMessages.fire({ type: 'focusComposer' });
  });
}
