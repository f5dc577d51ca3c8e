import { foldCaseKeepingLength } from '../../../base/text';
import type { Entry, SessionState } from '../../../shared/state/sessionState';
import { ENTRIES_PER_PAGE } from '../../../shared/state/sessionState';
import type { Terminal } from '../../../shared/state/terminalState';
import { terminalOf } from '../../../shared/state/terminalState';
import { wholeSearchText } from '../../../shared/text/entrySearchText';

/** UTF-16 units of one entry that are searched. */
const MAX_TEXT = 1_000_000;
/** Matches that are counted in one entry. */
export const MAX_MATCHES = 10_000;
const OPTIONS = { maxOutput: 131_072, isShown: true };

/** A match, by the index of its entry and its number within the entry, counted from 0. */
export interface Match {
  readonly entry: number;
  readonly index: number;
}

/** The text of an entry, and the terminals whose output it contains. */
interface EntryText {
  readonly text: string;
  readonly terminals: readonly (readonly [id: string, terminal: Terminal | undefined])[];
}

/**
 * Counts the matches of a text in all entries, drawn or not. The text of an entry is extracted once, and only what has
 * changed is searched again. The work is done in slices: entries can be many and huge.
 */
export class ConversationSearch {
  #query = '';
  #isCased = false;
  #texts = new WeakMap<Entry, EntryText>();
  /** By entry. */
  #counts: number[] = [];
  /** The texts that were counted, by entry. */
  #counted: EntryText[] = [];
  /** Counts in the page, which can differ from those of the state: titles are shortened, details repeated. */
  #drawn = new WeakMap<EntryText, number>();
  #pages: (readonly Entry[])[] = [];
  #terminals: SessionState['terminals'] = {};

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  setQuery(query: string, isCased: boolean): void {
    if (isCased !== this.#isCased) this.#texts = new WeakMap();
    this.#isCased = isCased;
    this.#query = this.fold(query);
    this.#counted = [];
    this.#pages = [];
    this.#drawn = new WeakMap();
  }

  /** The text as it is compared, of the same length. */
  fold(text: string): string {
    return this.#isCased ? text : foldCaseKeepingLength(text);
  }

  /**
   * Counts in what has changed.
   * @param isOver ends a slice of work
   * @returns whether everything is counted
   */
  update({ entries, terminals }: SessionState, isOver: () => boolean): boolean {
    this.#counts.length = Math.min(this.#counts.length, entries.count);
    const haveOutputsChanged = terminals !== this.#terminals;
    for (const [index, page] of entries.pages.entries()) {
      if (this.#pages[index] === page && !haveOutputsChanged) continue;
      for (const [at, entry] of page.entries()) {
        const isNew = this.#count(index * ENTRIES_PER_PAGE + at, entry, terminals);
        if (isNew && isOver()) return false;
      }
      this.#pages[index] = page;
    }
    this.#terminals = terminals;
    return true;
  }

  /** Corrects the count of an entry to what the page shows, until the entry changes. */
  correct(index: number, count: number): void {
    const text = this.#counted[index];
    if (!text) return;
    this.#drawn.set(text, count);
    this.#counts[index] = count;
  }

  countIn(entry: number): number {
    return this.#counts[entry] ?? 0;
  }

  /** The first match from an entry on, else the last one before it. */
  nearest(entry: number): Match | undefined {
    const following = this.#counts.findIndex((count, index) => index >= entry && count > 0);
    if (following >= 0) return { entry: following, index: 0 };
    return this.#lastIn(this.#counts.findLastIndex((count) => count > 0));
  }

  /** The next match, around the end. */
  after({ entry, index }: Match): Match | undefined {
    if (index + 1 < this.countIn(entry)) return { entry, index: index + 1 };
    const following = this.#counts.findIndex((count, at) => at > entry && count > 0);
    const found = following >= 0 ? following : this.#counts.findIndex((count) => count > 0);
    return found < 0 ? undefined : { entry: found, index: 0 };
  }

  /** The previous match, around the beginning. */
  before({ entry, index }: Match): Match | undefined {
    const preceding = Math.min(index, this.countIn(entry)) - 1;
    if (preceding >= 0) return { entry, index: preceding };
    const above = this.#counts.findLastIndex((count, at) => at < entry && count > 0);
    return this.#lastIn(above >= 0 ? above : this.#counts.findLastIndex((count) => count > 0));
  }

  /** The number of a match among all, counted from 1. */
  ordinal({ entry, index }: Match): number {
    return this.#counts.slice(0, entry).reduce((sum, count) => sum + count, index + 1);
  }

  #lastIn(entry: number): Match | undefined {
    return entry < 0 ? undefined : { entry, index: this.countIn(entry) - 1 };
  }

  /** @returns whether the entry has changed */
  #count(index: number, entry: Entry, terminals: SessionState['terminals']): boolean {
    const text = this.#textOf(entry, terminals);
    if (this.#counted[index] === text) return false;
    this.#counted[index] = text;
    this.#counts[index] = this.#drawn.get(text) ?? countOf(text.text, this.#query);
    return true;
  }

  #textOf(entry: Entry, all: SessionState['terminals']): EntryText {
    const known = this.#texts.get(entry);
    if (known?.terminals.every(([id, terminal]) => terminalOf(all, id) === terminal)) return known;
    const content = entry.kind === 'tool' ? entry.content : [];
    const ids = content.flatMap((part) => (part.type === 'terminal' ? [part.terminalId] : []));
    const text = this.fold(wholeSearchText(entry, all, OPTIONS).slice(0, MAX_TEXT));
    const found = { text, terminals: ids.map((id) => [id, terminalOf(all, id)] as const) };
    this.#texts.set(entry, found);
    return found;
  }
}

function countOf(text: string, query: string): number {
  if (query === '') return 0;
  let count = 0;
  for (let at = text.indexOf(query); at >= 0 && count < MAX_MATCHES; at = text.indexOf(query, at + query.length)) {
    count++;
  }
  return count;
}
