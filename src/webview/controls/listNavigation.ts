/** Keyboard navigation of all lists in the page (WAI-ARIA listbox). */

const ITEMS_PER_PAGE = 10;

/** The index after a key; undefined when the key does not move. Stops at both ends. */
export function nextListIndex(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'PageDown':
      return Math.min(at + ITEMS_PER_PAGE, last);
    case 'PageUp':
      return Math.max(at - ITEMS_PER_PAGE, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** Milliseconds after which typing starts a new prefix. */
const TYPE_AHEAD_PAUSE_MS = 700;

/**
 * Finds an item by typed letters: several letters are a prefix, a repeated letter cycles through the items that start
 * with it.
 */
export class TypeAhead {
  #typed = '';
  #last = -Infinity;

  /** @param from start index of the search; undefined when no name matches, or the key is not a letter */
  find(event: KeyboardEvent, names: readonly string[], from: number): number | undefined {
    const { key, timeStamp } = event;
    const isFresh = timeStamp - this.#last > TYPE_AHEAD_PAUSE_MS;
    // A space belongs to a name only while typing.
    if (key.length !== 1 || event.altKey || (key === ' ' && (isFresh || this.#typed === ''))) return undefined;
    this.#typed = isFresh ? key : this.#typed + key;
    this.#last = timeStamp;
    const isRepeated = Array.from(this.#typed).every((letter) => letter === key);
    const prefix = (isRepeated ? key : this.#typed).toLowerCase();
    const start = isRepeated ? from + 1 : from;
    const order = names.map((_, index) => (start + index) % names.length);
    return order.find((index) => names[index]?.toLowerCase().startsWith(prefix));
  }
}
