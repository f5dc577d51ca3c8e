import type { Signal } from '@preact/signals';
import { effect } from '@preact/signals';
import { isObject } from '../../base/json';
import { DisposableStore } from '../../base/lifecycle';
import { ENTRIES_PER_PAGE } from '../../shared/state/sessionState';
import type { StickToEnd } from '../controls/stickToEnd';
import type { PageContext } from './pageContext';

/** Maximum number of sessions with a stored position. */
const MAX_STORED_ANCHORS = 20;
/** Milliseconds without scrolling before the position is stored. */
const STORE_DELAY_MS = 200;

/** The first visible entry, and its distance from the top of the conversation in CSS pixels. */
interface ScrollAnchor {
  readonly entry: number;
  readonly top: number;
}

interface ScrollPositionOptions {
  readonly log: HTMLElement;
  readonly session: string;
  readonly stick: StickToEnd;
  /** Index of the first page of entries in the DOM. */
  readonly first: Signal<number>;
  readonly memory: PageContext['memory'];
}

/** Returns to where the user was reading: the page is destroyed while its view is hidden, and shows one session at a time. */
export class ScrollPosition extends DisposableStore {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: ScrollPositionOptions) {
    super();
    const { log, stick, memory, session } = options;
    const anchor = parseAnchor(memory.load().places?.[session]);
    // An entry that was revealed meanwhile stays in view.
    if (anchor && stick.stuck.peek()) this.#restore(anchor);
    const later = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#store(), STORE_DELAY_MS);
    };
    log.addEventListener('scroll', later, { passive: true });
    this.defer(() => log.removeEventListener('scroll', later));
    this.defer(effect(() => void (stick.stuck.value && later())));
    this.defer(() => clearTimeout(this.#timer));
  }

  /** Tries again while more of the conversation is drawn, until the position is reached or the user acts. */
  #restore({ entry, top }: ScrollAnchor): void {
    const { log, stick, first } = this.options;
    first.value = Math.min(first.peek(), Math.floor(entry / ENTRIES_PER_PAGE));
    const trying = this.add(new DisposableStore());
    const observer = new ResizeObserver(() => {
      const slot = log.querySelector<HTMLElement>(`[data-entry="${entry}"]`);
      if (!slot) return;
      stick.release();
      // A long entry has its height only once its beginning is in view.
      if (slot.offsetHeight < -top) return slot.scrollIntoView();
      const away = (): number => slot.getBoundingClientRect().top - log.getBoundingClientRect().top - top;
      log.scrollTop += away();
      if (Math.abs(away()) > 1) return;
      stick.settle();
      trying.dispose();
    });
    observer.observe(log.querySelector('.log-content') ?? log);
    trying.defer(() => observer.disconnect());
    for (const type of ['wheel', 'pointerdown', 'keydown']) {
      const end = (): void => trying.dispose();
      document.addEventListener(type, end, { passive: true });
      trying.defer(() => document.removeEventListener(type, end));
    }
  }

  #store(): void {
    const { log, stick, memory, session } = this.options;
    const stored = memory.load();
    const others = Object.entries(stored.places ?? {}).filter(([id]) => id !== session);
    const anchor = stick.stuck.peek() ? undefined : visibleAnchor(log);
    if (!anchor && stored.places?.[session] === undefined) return;
    const places = anchor ? [...others, [session, anchor] as const] : others;
    memory.save({ ...stored, places: Object.fromEntries(places.slice(-MAX_STORED_ANCHORS)) });
  }
}

function visibleAnchor(log: HTMLElement): ScrollAnchor | undefined {
  const { top } = log.getBoundingClientRect();
  for (const slot of log.querySelectorAll<HTMLElement>('[data-entry]')) {
    const box = slot.getBoundingClientRect();
    if (box.bottom > top) return { entry: Number(slot.dataset['entry']), top: Math.round(box.top - top) };
  }
  return undefined;
}

/** A stored position; undefined if it is none. */
export function parseAnchor(stored: unknown): ScrollAnchor | undefined {
  if (!isObject(stored)) return undefined;
  const { entry, top } = stored;
  return Number.isSafeInteger(entry) && Number.isFinite(top) ? { entry: Number(entry), top: Number(top) } : undefined;
}
