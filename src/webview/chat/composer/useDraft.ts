import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Attachment } from '../../../shared/state/attachments';
import { attachmentContent } from '../../../shared/state/attachments';
import type { Draft } from '../../page/draftMemory';
import { draftOf, storeDraft } from '../../page/draftMemory';
import { useHostMessage, usePage } from '../pageContext';

/** Larger drafts (UTF-16 units) are stored after a pause in milliseconds. */
const LARGE_DRAFT_CHARS = 50_000;
const STORE_DELAY_MS = 500;

/** Restores and stores the session's draft, and follows edits in other pages. */
export function useDraft(text: Signal<string>, attached: Signal<readonly Attachment[]>): void {
  const { store, memory, drafts } = usePage();
  const session = store.state?.id ?? '';
  const epoch = store.epoch.value;
  /** The stored draft, which need not be stored again. */
  const stored = useRef<Draft & { readonly session: string }>(undefined);
  const show = (): void => {
    const draft = draftOf(memory.load(), session);
    stored.current = { ...draft, session };
    text.value = draft.text;
    attached.value = draft.attached;
  };
  useLayoutEffect(show, [epoch, session, text, attached, memory]);
  useHostMessage('draft', ({ session: changed }) => {
    if (changed === session) show();
  });
  useEffect(() => {
    const before = stored.current;
    // Preact runs the effect of the first render after the stored draft was shown: not the text of that render.
    const current = { text: text.peek(), attached: attached.peek() };
    if (before?.session !== session) return undefined;
    if (before.text === current.text && isSameAttachments(before.attached, current.attached)) return undefined;
    // Never older than the last one: the computer's clock may have been set back.
    const draft = { ...current, at: Math.max(Date.now(), (before.at ?? 0) + 1) };
    drafts.store(session, draft);
    return whenQuiet(current.attached, () => {
      stored.current = { ...draft, session };
      memory.save(storeDraft(memory.load(), session, draft));
    });
  }, [text.value, attached.value, session, memory, drafts]);
}

/**
 * Runs `job` at once, or after a pause if attachments are large, since storing them on every key press is slow.
 * @returns a function that cancels it
 */
function whenQuiet(attached: readonly Attachment[], save: () => void): (() => void) | undefined {
  if (attached.reduce((size, one) => size + attachmentContent(one).length, 0) < LARGE_DRAFT_CHARS) {
    save();
    return undefined;
  }
  const timer = setTimeout(save, STORE_DELAY_MS);
  // The page may be destroyed at any time.
  window.addEventListener('pagehide', save);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', save);
  };
}

function isSameAttachments(one: readonly Attachment[], other: readonly Attachment[]): boolean {
  return one === other || one.length + other.length === 0;
}
