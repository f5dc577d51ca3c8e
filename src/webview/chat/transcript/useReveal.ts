import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ENTRIES_PER_PAGE } from '../../../shared/state/sessionState';
import { useEvent, usePage } from '../pageContext';
import { focusEntry } from './entryNavigation';
import type { FindHighlights } from './findHighlights';

type Ref = { current: HTMLDivElement | null };

/** Reveals and focuses an entry. Searched words are highlighted in it until the next request. */
export function useReveal(scroller: Ref, first: Signal<number>): void {
  const { report, stick } = usePage();
  const marking = useRef<FindHighlights>(undefined);
  /** Number of requests so far: highlights of an outdated request are not drawn. */
  const requests = useRef(0);
  const end = (): void => {
    requests.current++;
    marking.current?.end();
    marking.current = undefined;
  };
  const mark = async (entry: HTMLElement, words: readonly string[]): Promise<void> => {
    const request = requests.current;
    const { FindHighlights: Marks } = await import('./findHighlights');
    if (request !== requests.current) return;
    marking.current?.end();
    marking.current = new Marks(entry, words);
  };
  useEvent(usePage().events.reveal.event, ({ entry: index, words = [] }) => {
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
  });
  useLayoutEffect(() => end, []);
}
