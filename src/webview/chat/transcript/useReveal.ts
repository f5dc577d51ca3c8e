import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { ENTRIES_PER_PAGE } from '../../../shared/state/sessionState';
import { focusEntry } from './entryNavigation';
import type { FindHighlights } from './findHighlights';
import type { StickToEnd } from './stickToEnd';
import { usePage } from '../pageContext';

type Ref = { current: HTMLDivElement | null };

/** Reveals and focuses an entry on request of the host. Searched words are highlighted in it until the next request. */
export function useReveal(scroller: Ref, stick: Signal<StickToEnd | undefined>, first: Signal<number>): void {
  const { focus, report } = usePage();
  // Immediate: a page opened by "Show" gets this message after its snapshot, before the first frame.
  useLayoutEffect(() => {
    let marking: FindHighlights | undefined;
    /** Counts requests: highlights of an outdated request are not drawn. */
    let asked = 0;
    const end = (): void => {
      asked++;
      marking?.end();
      marking = undefined;
    };
    const mark = async (entry: HTMLElement, words: readonly string[]): Promise<void> => {
      const mine = asked;
      const { FindHighlights: Marks } = await import('./findHighlights');
      if (mine !== asked) return;
      marking?.end();
      marking = new Marks(entry, words);
    };
    focus.reveal = (index, words = []) => {
      end();
      first.value = Math.min(first.peek(), Math.floor(index / ENTRIES_PER_PAGE));
      requestAnimationFrame(() => {
        const entry = scroller.current?.querySelector<HTMLElement>(`[data-entry="${index}"]`);
        if (!entry) return;
        stick.peek()?.release();
        entry.scrollIntoView({ block: 'center' });
        stick.peek()?.settle();
        focusEntry(entry);
        if (words.length > 0) mark(entry, words).catch(report);
      });
    };
    return () => {
      delete focus.reveal;
      end();
    };
  }, [focus, report, scroller, stick, first]);
}
