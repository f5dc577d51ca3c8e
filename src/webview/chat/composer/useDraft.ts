import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Attachment } from '../../../shared/protocol/attachments';
import { attachmentContent } from '../../../shared/protocol/attachments';
import type { Draft } from '../draftMemory';
import { draftOf, storeDraft } from '../draftMemory';
import { usePage } from '../pageContext';

/** UTF-16 units of content beyond which a draft is not written at every key, and the milliseconds it then waits. */
const LARGE = 50_000;
const PAUSE = 500;

/**
 * Brings back what was written in this session before the page was reloaded, keeps it as it changes, and takes in what is written in
 * the same session in another page.
 */
export function useDraft(text: Signal<string>, attached: Signal<readonly Attachment[]>): void {
  const { store, focus, memory, drafts } = usePage();
  const session = store.state?.id ?? '';
  const epoch = store.epoch.value;
  /** What is known of the session's draft: nothing of it has to be kept again. */
  const known = useRef<Draft & { readonly session: string }>(undefined);
  useLayoutEffect(() => {
    const show = (): void => {
      const draft = draftOf(memory.load(), session);
      known.current = { ...draft, session };
      text.value = draft.text;
      attached.value = draft.attached;
    };
    show();
    focus.draft = (id) => void (id === session && show());
    return () => delete focus.draft;
  }, [epoch, session, text, attached, memory, focus]);
  const current = { text: text.value, attached: attached.value };
  useEffect(() => {
    const before = known.current;
    if (before?.session !== session) return undefined;
    if (before.text === current.text && isSame(before.attached, current.attached)) return undefined;
    const draft = { ...current, at: Date.now() };
    drafts.keep(session, draft);
    return whenQuiet(current.attached, () => {
      known.current = { ...draft, session };
      memory.save(storeDraft(memory.load(), session, draft));
    });
  }, [current.text, current.attached, session, memory, drafts]);
}

/**
 * Does it at once; with much attached only after a pause, for it is work at every key.
 * @returns what gives it up
 */
function whenQuiet(attached: readonly Attachment[], save: () => void): (() => void) | undefined {
  if (attached.reduce((size, one) => size + attachmentContent(one).length, 0) < LARGE) {
    save();
    return undefined;
  }
  const timer = setTimeout(save, PAUSE);
  // The page may go at any moment: what waits is written then.
  window.addEventListener('pagehide', save);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', save);
  };
}

function isSame(one: readonly Attachment[], other: readonly Attachment[]): boolean {
  return one === other || one.length + other.length === 0;
}
