import { effect, signal } from '@preact/signals';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';

/** Maximum distance from the end, in CSS pixels, that counts as the end. */
const NEAR_END_PX = 24;
/** Minimum distance from the end, in CSS pixels, for a movement without user input. */
const FAR_FROM_END_PX = 48;
/** Minimum distance from the end, in CSS pixels, of a user who reads earlier messages: more than a panel of the dock is high. */
const READING_PX = 240;
/** Milliseconds for which a wheel or key movement may continue after its last event. */
const SCROLL_ANIMATION_MS = 500;

/** Keeps a scrolling element at its end while its content changes, until the user scrolls up by wheel, keys or dragging. */
export class StickToEnd implements Disposable {
  readonly stuck = signal(true);
  /** The user reads earlier messages. */
  readonly isFar = signal(false);
  readonly #owned = new DisposableStore();
  /** `distance` is that from the end. */
  #last = { top: 0, height: 0, content: 0, distance: 0 };
  #isDragged = false;
  /** Scroll events before this time (`performance.now()`) were caused by the user. */
  #movedUntil = 0;

  /** @param hasEnd false while the conversation is empty: its content then starts at the top */
  constructor(
    private readonly scroller: HTMLElement,
    content: HTMLElement,
    private readonly hasEnd = (): boolean => true,
  ) {
    const follow = (): void => {
      if (this.stuck.peek() && hasEnd()) this.toEnd();
    };
    const observer = new ResizeObserver(follow);
    observer.observe(scroller);
    observer.observe(content);
    this.#owned.defer(() => observer.disconnect());
    // While the user scrolls up, the scroll event may be still to come.
    this.#listen(content, 'grow', () => this.#isMoved || scroller.scrollTop < this.#last.top || follow());
    this.#listen(scroller, 'scroll', () => this.#handleScroll());
    this.#listen(scroller, 'wheel', (event) => event instanceof WheelEvent && event.deltaY < 0 && this.#glide());
    this.#listen(scroller, 'touchmove', () => this.#glide());
    // Keys scroll from anywhere in the page.
    this.#listen(document, 'keydown', (event) => event instanceof KeyboardEvent && leadsUp(event) && this.#glide());
    this.#listen(scroller, 'pointerdown', () => (this.#isDragged = true));
    for (const end of ['pointerup', 'pointercancel']) this.#listen(window, end, () => (this.#isDragged = false));
    // At the end scroll anchoring is useless, and its search in each frame is expensive.
    this.#owned.defer(effect(() => void scroller.classList.toggle('stuck', this.stuck.value)));
  }

  toEnd(): void {
    this.stuck.value = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#measure();
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
    this.#measure();
    if (this.#last.distance <= NEAR_END_PX) this.stuck.value = true;
  }

  /** Whether input of the user may be moving the content. */
  get #isMoved(): boolean {
    return this.#isDragged || performance.now() < this.#movedUntil;
  }

  /**
   * Only an upward movement stops following, because growing content moves the end by itself. A collapsing card or a shrinking box below
   * also moves the content up, which must not stop following. Screen readers move the content without input and
   * without such a change of size.
   */
  #handleScroll(): void {
    if (!this.hasEnd()) return;
    const last = this.#last;
    this.#measure();
    const { top, height, content, distance } = this.#last;
    const isResized = height !== last.height || content !== last.content;
    if (distance <= NEAR_END_PX) this.stuck.value = true;
    else if (top < last.top) {
      if (this.#isMoved || (!isResized && distance > FAR_FROM_END_PX)) this.stuck.value = false;
      else if (this.stuck.peek()) this.toEnd();
    }
    this.isFar.value = !this.stuck.peek() && distance > READING_PX;
  }

  #glide(): void {
    this.#movedUntil = performance.now() + SCROLL_ANIMATION_MS;
  }

  #measure(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    const distance = scrollHeight - clientHeight - scrollTop;
    this.#last = { top: scrollTop, height: clientHeight, content: scrollHeight, distance };
  }

  #listen(target: EventTarget, type: string, listener: (event: Event) => unknown): void {
    target.addEventListener(type, listener, { passive: true });
    this.#owned.defer(() => target.removeEventListener(type, listener));
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/** Whether the key may scroll up; Tab may, because it moves the focus to another element. */
function leadsUp({ key, shiftKey }: KeyboardEvent): boolean {
  return ['ArrowUp', 'PageUp', 'Home', 'Tab'].includes(key) || (key === ' ' && shiftKey);
}

/** Scrolls by keys from anywhere in the page; text fields keep Home and End. */
export function scrollByKeys(event: KeyboardEvent, scroller: HTMLElement): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const { target } = event;
  const isInText = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  // A focused scrollable element keeps its own scrolling.
  if (target instanceof Node && scroller.contains(target)) return;
  const page = scroller.clientHeight * 0.875;
  const top = { PageUp: scroller.scrollTop - page, PageDown: scroller.scrollTop + page }[event.key];
  const end = isInText ? undefined : { Home: 0, End: scroller.scrollHeight }[event.key];
  const goal = top ?? end;
  if (goal === undefined) return;
  event.preventDefault();
  scroller.scrollTop = goal;
}
