import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ENTRIES_PER_PAGE } from '../../../shared/state/sessionState';
import { useEvent, usePage } from '../pageContext';
import { focusEntry } from './entryNavigation';
import type { FindHighlights } from './findHighlights';

/** Pages that are drawn in a frame: an entry can be thousands above those that are drawn. */
const PAGES_PER_FRAME = 4;

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
  useEvent(usePage().events.reveal.event, ({ entry: index, words = [], onDidDraw }) => {
    end();
    const request = requests.current;
    const page = Math.floor(index / ENTRIES_PER_PAGE);
    const draw = (): void => {
      if (request !== requests.current) return;
      const entry = scroller.current?.querySelector<HTMLElement>(`[data-entry="${index}"]`);
      if (entry || first.peek() > page) stick.peek()?.release();
      if (first.peek() > page) {
        first.value = Math.max(page, first.peek() - PAGES_PER_FRAME);
        requestAnimationFrame(draw);
        return;
      }
      if (!entry) return;
      if (onDidDraw) onDidDraw(entry);
      else entry.scrollIntoView({ block: 'center' });
      stick.peek()?.settle();
      if (!onDidDraw) focusEntry(entry);
      if (words.length > 0) mark(entry, words).catch(report);
    };
    requestAnimationFrame(draw);
  });
  useLayoutEffect(() => end, []);
}
