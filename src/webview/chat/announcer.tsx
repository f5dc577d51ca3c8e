import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AppliedActions } from './chatStore';
import { usePage } from './pageContext';

/** The page's only live region: finished messages, requests, ends of turns. */
export function Announcer(): JSX.Element {
  const { store, memory, report } = usePage();
  const announced = useSignal<readonly string[]>([]);
  useEffect(() => {
    const announce = async (applied: AppliedActions): Promise<void> => {
      const { announcementsOf } = await import('./announcementsOf');
      const texts = announcementsOf(applied);
      if (texts.length > 0) announced.value = texts;
    };
    const listening = store.onApplied((applied) => void announce(applied).catch(report));
    return () => listening.dispose();
  }, [store, announced, report]);
  const notice = store.notice.value;
  useEffect(() => {
    // A page that is shown again gets the same notice again. Resetting the text lets the same words be announced a second time.
    if (!notice) announced.value = [];
    else if (memory.load().spokenNotice !== notice.id) {
      memory.save({ ...memory.load(), spokenNotice: notice.id });
      announced.value = [notice.text, ...notice.details];
    }
  }, [notice, memory, announced]);
  return (
    <div class="hidden-text" aria-live="polite" aria-atomic="true" data-part="announcer">
      {announced.value.join('\n')}
    </div>
  );
}
