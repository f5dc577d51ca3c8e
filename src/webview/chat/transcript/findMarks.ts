import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import type { ConversationSearch } from './conversationSearch';
import { MAX_MATCHES } from './conversationSearch';
import { DrawnText } from './drawnText';

/** Highlights the visible matches, by the CSS Custom Highlight API: the DOM is not changed. */
const [ALL, CURRENT] = ['found', 'found-current'];
/** Highlighted matches of an entry besides the current one. */
const MAX_RANGES = 500;

/** Finds and highlights what {@link ConversationSearch} counts, in the entries that are drawn. */
export class FindMarks implements Disposable {
  readonly #owned = new DisposableStore();
  /** The texts of entries, until they change. */
  #texts = new WeakMap<Element, DrawnText>();
  #query = '';

  /** @param onDidChange called when other matches may be visible */
  constructor(
    private readonly log: HTMLElement,
    private readonly search: ConversationSearch,
    onDidChange: () => void,
  ) {
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const slot = (target instanceof Element ? target : target.parentElement)?.closest('.slot');
        if (slot) this.#texts.delete(slot);
      }
      onDidChange();
    });
    observer.observe(log, { childList: true, characterData: true, subtree: true });
    log.addEventListener('scroll', onDidChange, { passive: true });
    this.#owned.defer(() => {
      observer.disconnect();
      log.removeEventListener('scroll', onDidChange);
      for (const name of [ALL, CURRENT]) CSS.highlights.delete(name);
    });
  }

  setQuery(query: string, isCased: boolean): void {
    this.#texts = new WeakMap();
    this.search.setQuery(query, isCased);
    this.#query = this.search.fold(query);
  }

  /** The matches that an entry shows; undefined if it is not drawn. */
  rangesIn(entry: number): readonly Range[] | undefined {
    const slot = this.slotOf(entry);
    return slot && this.#rangesOf(slot, MAX_MATCHES);
  }

  slotOf(entry: number): HTMLElement | undefined {
    return this.log.querySelector<HTMLElement>(`.slot[data-entry="${entry}"]`) ?? undefined;
  }

  /** The first visible entry. */
  get first(): number {
    return Number(this.#visibleSlots()[0]?.dataset['entry'] ?? 0);
  }

  draw(current: Range | undefined): void {
    const slots = this.#visibleSlots().filter(({ dataset }) => this.search.countIn(Number(dataset['entry'])) > 0);
    const ranges = slots.flatMap((slot) => this.#rangesOf(slot, MAX_RANGES));
    CSS.highlights.set(ALL, new Highlight(...ranges));
    const mark = new Highlight(...(current ? [current] : []));
    mark.priority = 1;
    CSS.highlights.set(CURRENT, mark);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #rangesOf(slot: HTMLElement, max: number): Range[] {
    if (this.#query === '') return [];
    let text = this.#texts.get(slot);
    if (!text) this.#texts.set(slot, (text = new DrawnText(slot, (data) => this.search.fold(data))));
    return text.rangesOf(this.#query, max);
  }

  /** Pages are measured first: entries can be thousands. */
  #visibleSlots(): HTMLElement[] {
    const { top, bottom } = this.log.getBoundingClientRect();
    const isVisible = (element: HTMLElement): boolean => {
      const box = element.getBoundingClientRect();
      return box.height > 0 && box.bottom > top && box.top < bottom;
    };
    const childrenOf = (of: ParentNode, selector: string): HTMLElement[] =>
      [...of.querySelectorAll<HTMLElement>(selector)].filter(isVisible);
    return childrenOf(this.log, '.page').flatMap((page) => childrenOf(page, '.slot[data-entry]'));
  }
}
