import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Attachment } from '../../shared/attachments';
import { contentOf } from '../../shared/attachments';
import { draftOf, withDraft } from '../drafts';
import { usePage } from './context';

/** UTF-16 units of content beyond which a draft is not written at every key, and the milliseconds it then waits. */
const LARGE = 50_000;
const PAUSE = 500;

/** Brings back what was written in this session before the page was reloaded, and keeps it as it changes. */
export function useDraft(text: Signal<string>, attached: Signal<readonly Attachment[]>): void {
  const { store, memory } = usePage();
  const session = store.state?.id ?? '';
  const epoch = store.epoch.value;
  const loaded = useRef<string>(undefined);
  useLayoutEffect(() => {
    const draft = draftOf(memory.load(), session);
    text.value = draft.text;
    attached.value = draft.attached;
    loaded.current = session;
  }, [epoch, session, text, attached, memory]);
  const current = { text: text.value, attached: attached.value };
  useEffect(() => {
    if (loaded.current !== session) return undefined;
    const save = (): void => {
      const known = memory.load();
      const before = draftOf(known, session);
      if (before.text === current.text && before.attached.length + current.attached.length === 0) return;
      memory.save(withDraft(known, session, current));
    };
    if (current.attached.reduce((size, one) => size + contentOf(one).length, 0) < LARGE) {
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
  }, [current.text, current.attached, session, memory]);
}
