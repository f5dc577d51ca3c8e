import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { ENTRIES_PER_PAGE } from '../../shared/state';
import { markWords, unmark } from '../marking';
import type { StickToEnd } from '../scroll';
import { usePage } from './context';

type Ref = { current: HTMLDivElement | null };

/**
 * Brings an entry into view when the host asks for it, and the focus to it: the person asked for it there. Words that were searched
 * for are marked in it, until something else is asked for.
 */
export function useReveal(scroller: Ref, stick: Signal<StickToEnd | undefined>, first: Signal<number>): void {
  const { focus } = usePage();
  // At once: a page that is opened by "Show" is told in the message that follows the snapshot, before a frame is drawn.
  useLayoutEffect(() => {
    focus.reveal = (index, words = []) => {
      unmark();
      first.value = Math.min(first.peek(), Math.floor(index / ENTRIES_PER_PAGE));
      requestAnimationFrame(() => {
        const entry = scroller.current?.querySelector(`[data-entry="${index}"]`);
        if (!entry) return;
        stick.peek()?.release();
        entry.scrollIntoView({ block: 'center' });
        entry.querySelector<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
        if (words.length > 0) showWords(entry, words);
      });
    };
    return () => {
      delete focus.reveal;
      unmark();
    };
  }, [focus, scroller, stick, first]);
}

/** Marks the words; where none is to be seen, what is folded is opened first. */
function showWords(entry: Element, words: readonly string[]): void {
  const mark = (): boolean => {
    const found = markWords(entry, words);
    found[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' });
    return found.length > 0;
  };
  if (mark()) return;
  for (const folded of entry.querySelectorAll<HTMLElement>('[aria-expanded="false"]:not([aria-haspopup])'))
    folded.click();
  for (const folded of entry.querySelectorAll('details')) folded.open = true;
  requestAnimationFrame(() => requestAnimationFrame(mark));
}
