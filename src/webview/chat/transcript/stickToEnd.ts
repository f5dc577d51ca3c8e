import { effect, signal } from '@preact/signals';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';

/** How far from the end, in CSS pixels, still counts as being there. */
const NEAR = 24;
/** Keeps a scrolling element at its end while content grows, until the user scrolls up. */
export class StickToEnd implements Disposable {
  readonly stuck = signal(true);
  readonly #scroller: HTMLElement;
  readonly #hasEnd: () => boolean;
  readonly #owned = new DisposableStore();
  #lastTop = 0;
  #lastHeight = 0;

  /** @param hasEnd false while there is nothing said yet: what is shown then begins at its top */
  constructor(scroller: HTMLElement, content: HTMLElement, hasEnd = (): boolean => true) {
    this.#scroller = scroller;
    this.#hasEnd = hasEnd;
    const observer = new ResizeObserver(() => {
      if (this.stuck.peek() && hasEnd()) this.toEnd();
    });
    observer.observe(scroller);
    observer.observe(content);
    this.#owned.defer(() => observer.disconnect());
    const onScroll = (): void => this.#scrolled();
    scroller.addEventListener('scroll', onScroll, { passive: true });
    this.#owned.defer(() => scroller.removeEventListener('scroll', onScroll));
    // At the end there is nothing to anchor, and looking for an anchor in each frame costs.
    this.#owned.defer(effect(() => void scroller.classList.toggle('stuck', this.stuck.value)));
  }

  toEnd(): void {
    this.stuck.value = true;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#look();
  }

  /** Lets go of the end, so that what is brought into view stays there. */
  release(): void {
    this.stuck.value = false;
  }

  /** What was brought into view may stand at the end; no event tells of it where nothing had to move. */
  settle(): void {
    if (this.#isNear) this.stuck.value = true;
  }

  get #isNear(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop <= NEAR;
  }

  /**
   * Only moving up lets go of the end: when content grows the end moves away by itself. A box below that becomes lower moves
   * what is shown up too, by as much as this becomes higher; before that is told more may have been added.
   */
  #scrolled(): void {
    if (!this.#hasEnd()) return;
    const { scrollTop, clientHeight } = this.#scroller;
    const up = this.#lastTop - scrollTop;
    const higher = clientHeight - this.#lastHeight;
    // One more for what is lost in rounding.
    const byItself = higher > 0 ? higher + 1 : 0;
    if (this.#isNear) this.stuck.value = true;
    else if (up > byItself) this.stuck.value = false;
    else if (up > 0 && this.stuck.peek()) this.toEnd();
    this.#look();
  }

  #look(): void {
    this.#lastTop = this.#scroller.scrollTop;
    this.#lastHeight = this.#scroller.clientHeight;
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/** Scrolls by keys from anywhere in the page; text fields keep Home and End for themselves. */
export function scrollByKeys(event: KeyboardEvent, scroller: HTMLElement): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const { target } = event;
  const inText = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  // What scrolls by itself where the focus is goes on doing so.
  if (target instanceof Node && scroller.contains(target)) return;
  const page = scroller.clientHeight * 0.875;
  const top = { PageUp: scroller.scrollTop - page, PageDown: scroller.scrollTop + page }[event.key];
  const end = inText ? undefined : { Home: 0, End: scroller.scrollHeight }[event.key];
  const goal = top ?? end;
  if (goal === undefined) return;
  event.preventDefault();
  scroller.scrollTop = goal;
}
