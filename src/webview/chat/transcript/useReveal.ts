import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { ENTRIES_PER_PAGE } from '../../../shared/state/sessionState';
import { focusEntry } from './entryNavigation';
import type { FindHighlights } from './findHighlights';
import type { StickToEnd } from './stickToEnd';
import { usePage } from '../pageContext';

type Ref = { current: HTMLDivElement | null };

/**
 * Brings an entry into view when the host asks for it, and the focus to it: the user asked for it there. Words that were searched
 * for are marked in it, until something else is asked for.
 */
export function useReveal(scroller: Ref, stick: Signal<StickToEnd | undefined>, first: Signal<number>): void {
  const { focus, report } = usePage();
  // At once: a page that is opened by "Show" is told in the message that follows the snapshot, before a frame is drawn.
  useLayoutEffect(() => {
    let marking: FindHighlights | undefined;
    /** Counts what was asked for: marks that come after something else was are not drawn. */
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
