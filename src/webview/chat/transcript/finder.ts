import { signal } from '@preact/signals';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import type { PageContext } from '../pageContext';
import type { Match } from './conversationSearch';
import { ConversationSearch } from './conversationSearch';
import { showRenderedBlocks, unfold } from './drawnText';
import { FindMarks } from './findMarks';

/** Milliseconds of one slice of counting. */
const SLICE_MS = 6;
/** Milliseconds after the last key until the match is shown: every key would expand another entry. */
const LANDING_DELAY_MS = 200;
/** Milliseconds between updates while the conversation changes. */
const UPDATE_INTERVAL_MS = 100;

/** Updates until which the match to show must have been drawn: later, it would move what the user reads. */
const MAX_ATTEMPTS = 20;

/** A match that is to be shown, when the page has drawn and expanded what it is in. */
interface Landing {
  readonly match: Match;
  readonly unfolded: WeakSet<Element>;
  attemptsLeft: number;
  /** Nothing is left to expand, and the match was not found: the page shows fewer matches than the state has. */
  isExhausted: boolean;
}

/** Finds a text in the conversation: counts its matches, and shows one at a time. */
export class Finder implements Disposable {
  readonly query = signal('');
  readonly isCased = signal(false);
  /** Such as "3 of 17". */
  readonly status = signal('');
  readonly #owned = new DisposableStore();
  readonly #search = new ConversationSearch();
  readonly #marks: FindMarks;
  #current: Match | undefined;
  /** The query has changed since the current match was chosen. */
  #isTyped = false;
  #landing: Landing | undefined;
  #work: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly page: PageContext,
    private readonly log: HTMLElement,
  ) {
    const update = (): void => this.#schedule(UPDATE_INTERVAL_MS);
    this.#marks = this.#owned.add(new FindMarks(log, this.#search, update));
    this.#owned.add(page.store.onApplied(update));
    this.#owned.defer(() => {
      clearTimeout(this.#work);
      clearTimeout(this.#pause);
    });
    // Extracts the texts before the first key.
    this.#schedule(0);
  }

  /** @param isCased whether upper and lower case differ */
  find(query: string, isCased = this.isCased.peek()): void {
    this.query.value = query;
    this.isCased.value = isCased;
    this.#marks.setQuery(query, isCased);
    this.#isTyped = true;
    clearTimeout(this.#pause);
    clearTimeout(this.#work);
    this.#work = undefined;
    // After the frame that shows the key.
    requestAnimationFrame(() => this.#schedule(0));
  }

  /** Shows the next match, or the previous one. */
  go(to: 'after' | 'before'): void {
    if (this.#isTyped) this.#update(Infinity);
    else if (this.#current) this.#current = this.#search[to](this.#corrected(this.#current));
    this.#land();
    this.#draw();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #schedule(delay: number): void {
    if (this.#owned.isDisposed) return;
    this.#work ??= setTimeout(() => {
      this.#work = undefined;
      this.#update(SLICE_MS);
    }, delay);
  }

  #update(budget: number): void {
    const end = performance.now() + budget;
    const { state } = this.page.store;
    if (!state) return;
    if (!this.#search.update(state, () => performance.now() > end)) return this.#schedule(0);
    if (this.#isTyped) {
      this.#isTyped = false;
      this.#current = this.#search.nearest(this.#current?.entry ?? this.#marks.first);
      this.#pause = setTimeout(() => this.#land(), LANDING_DELAY_MS);
    } else if (this.#current && this.#search.countIn(this.#current.entry) === 0) {
      this.#current = this.#search.nearest(this.#current.entry);
    }
    this.#draw();
  }

  /** The current match, as far as the page shows it. */
  #corrected({ entry, index }: Match): Match {
    const drawn = this.#marks.rangesIn(entry)?.length;
    if (this.#landing?.isExhausted !== true || drawn === undefined || drawn > index) return { entry, index };
    this.#search.correct(entry, drawn);
    return { entry, index: drawn - 1 };
  }

  /** Highlights the visible matches, and updates the count. */
  #draw(): void {
    const current = this.#current;
    const ranges = current && this.#marks.rangesIn(current.entry);
    if (current && ranges && ranges.length > this.#search.countIn(current.entry)) {
      this.#search.correct(current.entry, ranges.length);
    }
    this.#marks.draw(ranges?.[current?.index ?? 0] ?? ranges?.at(-1));
    const { total } = this.#search;
    const count = current ? t('{0} of {1}', this.#search.ordinal(current), total) : t('No results');
    this.status.value = this.query.peek() === '' ? '' : count;
    this.#continueLanding();
  }

  #land(): void {
    clearTimeout(this.#pause);
    const match = this.#current;
    if (!match) return;
    const landing = { match, unfolded: new WeakSet<Element>(), attemptsLeft: MAX_ATTEMPTS, isExhausted: false };
    this.#landing = undefined;
    const onDidDraw = (slot: HTMLElement): void => {
      if (this.#current !== match || this.#owned.isDisposed) return;
      slot.scrollIntoView({ block: 'nearest' });
      showRenderedBlocks(slot);
      this.#landing = landing;
      this.#draw();
    };
    this.page.events.reveal.fire({ entry: match.entry, onDidDraw });
  }

  /** Expands the entry until it shows the match, and scrolls there. */
  #continueLanding(): void {
    const landing = this.#landing;
    if (!landing || landing.match !== this.#current || landing.attemptsLeft-- <= 0) return;
    const { entry, index } = landing.match;
    const range = this.#marks.rangesIn(entry)?.[index];
    if (range) {
      landing.attemptsLeft = 0;
      showRange(range, this.log);
      // Entries around it have got their real size.
      requestAnimationFrame(() => showRange(range, this.log));
    } else {
      const slot = this.#marks.slotOf(entry);
      landing.isExhausted = slot !== undefined && !unfold(slot, landing.unfolded);
    }
  }
}

/** Scrolls a range into the middle of all that scrolls around it, unless it is visible. */
function showRange(range: Range, log: HTMLElement): void {
  const parent = range.startContainer.parentElement;
  if (!parent) return;
  for (let details = parent.closest('details'); details; details = details.parentElement?.closest('details') ?? null) {
    details.open = true;
  }
  parent.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  for (let element: Element | null = parent; element && log.contains(element); element = element.parentElement) {
    if (!/auto|scroll/.test(getComputedStyle(element).overflow)) continue;
    const [box, at] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
    // The find box covers the beginning of the conversation.
    const top = box.top + (parseFloat(getComputedStyle(element).scrollPaddingTop) || 0);
    if (at.top < top || at.bottom > box.bottom) element.scrollTop += at.top - (box.top + box.height / 2);
    if (at.left < box.left || at.right > box.right) element.scrollLeft += at.left - (box.left + box.width / 2);
  }
}
