import { effect, signal } from '@preact/signals';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';

/** Maximum distance from the end, in CSS pixels, that counts as the end. */
const NEAR = 24;
/** Keeps a scrolling element at its end while content grows, until the user scrolls up. */
export class StickToEnd implements Disposable {
  readonly stuck = signal(true);
  readonly #scroller: HTMLElement;
  readonly #hasEnd: () => boolean;
  readonly #owned = new DisposableStore();
  #lastTop = 0;
  #lastHeight = 0;

  /** @param hasEnd false while the conversation is empty: its content then starts at the top */
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
    // At the end scroll anchoring is useless, and its search in each frame is expensive.
    this.#owned.defer(effect(() => void scroller.classList.toggle('stuck', this.stuck.value)));
  }

  toEnd(): void {
    this.stuck.value = true;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#look();
  }

  /** Stops following the end, so that a revealed entry stays visible. */
  release(): void {
    this.stuck.value = false;
  }

  /**
   * Checks the position after a reveal: a revealed entry may be at the end, and without a movement there is no scroll
   * event.
   */
  settle(): void {
    if (this.#isNear) this.stuck.value = true;
  }

  get #isNear(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop <= NEAR;
  }

  /**
   * Only a movement up stops following: growing content moves the end by itself. A shrinking box below also moves the
   * content up, by the growth of this element; before its event more content may have been added.
   */
  #scrolled(): void {
    if (!this.#hasEnd()) return;
    const { scrollTop, clientHeight } = this.#scroller;
    const up = this.#lastTop - scrollTop;
    const higher = clientHeight - this.#lastHeight;
    // One more pixel for rounding errors.
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

/** Scrolls by keys from anywhere in the page; text fields keep Home and End. */
export function scrollByKeys(event: KeyboardEvent, scroller: HTMLElement): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const { target } = event;
  const inText = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  // A focused scrollable element keeps its own scrolling.
  if (target instanceof Node && scroller.contains(target)) return;
  const page = scroller.clientHeight * 0.875;
  const top = { PageUp: scroller.scrollTop - page, PageDown: scroller.scrollTop + page }[event.key];
  const end = inText ? undefined : { Home: 0, End: scroller.scrollHeight }[event.key];
  const goal = top ?? end;
  if (goal === undefined) return;
  event.preventDefault();
  scroller.scrollTop = goal;
}
