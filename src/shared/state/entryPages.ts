import { ENTRIES_PER_PAGE } from './sessionState';
import type { Entry, EntryPages } from './sessionState';

/** Undefined outside the transcript. */
export function entryAt(entries: EntryPages, index: number): Entry | undefined {
  return entries.pages[Math.floor(index / ENTRIES_PER_PAGE)]?.[index % ENTRIES_PER_PAGE];
}

export function lastEntry(entries: EntryPages): Entry | undefined {
  return entryAt(entries, entries.count - 1);
}

export function appendEntry(entries: EntryPages, entry: Entry): EntryPages {
  const pages = [...entries.pages];
  const page = Math.floor(entries.count / ENTRIES_PER_PAGE);
  pages[page] = [...(pages[page] ?? []), entry];
  return { count: entries.count + 1, pages };
}

/** Replaces one entry; returns the same reference when the entry is unchanged or missing. */
export function replaceEntry(entries: EntryPages, index: number, entry: Entry): EntryPages {
  const page = Math.floor(index / ENTRIES_PER_PAGE);
  const old = entries.pages[page];
  const at = index % ENTRIES_PER_PAGE;
  if (!old || old[at] === undefined || old[at] === entry) return entries;
  return { count: entries.count, pages: entries.pages.with(page, old.with(at, entry)) };
}

export function* entriesFrom(entries: EntryPages, first = 0): Generator<readonly [index: number, entry: Entry]> {
  for (let index = first; index < entries.count; index++) {
    const entry = entryAt(entries, index);
    if (entry) yield [index, entry];
  }
}
