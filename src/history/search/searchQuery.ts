import { t } from '../../base/l10n';
import { foldCaseKeepingLength } from '../../base/text';
import type { SessionListItem } from '../sessionSummary';
import { sessionFolder } from '../sessionSummary';

/** Parses a search: words, and filters such as `agent:claude after:2026-11-01`. Pure. */

const FILTERS = ['agent', 'folder', 'after', 'before', 'is'] as const;
type FilterName = (typeof FILTERS)[number];

/** Values of `is:`. */
export const MARKS = ['unread', 'waiting', 'running', 'archived', 'imported'] as const;
type Mark = (typeof MARKS)[number];

export interface Query {
  /** Case-folded; all must occur in the same entry. "Quoted words" count as one word. */
  readonly words: readonly string[];
  /** Case-folded parts of agent names or titles; one match is enough. */
  readonly agents: readonly string[];
  /** Case-folded parts of folder paths; one match is enough. */
  readonly folders: readonly string[];
  /** Milliseconds since 1970, inclusive. */
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
  readonly marks: readonly Mark[];
  /** Sentences about invalid parts, which are ignored. */
  readonly problems: readonly string[];
}

const DAY_MS = 24 * 60 * 60_000;
/** A quotation mark inside quotes is doubled. */
const TOKEN = /(?:(\w+):)?(?:"((?:""|[^"])*)"?|(\S+))/gu;

/** @param now milliseconds since 1970, for words such as `today` */
export function parseQuery(text: string, now: number): Query {
  const query = { words: [], agents: [], folders: [], marks: [], problems: [] } as Draft;
  for (const [whole, name, marked, plain] of text.matchAll(TOKEN)) {
    const quoted = marked?.replaceAll('""', '"');
    const filter = FILTERS.find((one) => one === name?.toLowerCase());
    // "http://x" and "note:" are plain words.
    const value = filter ? (quoted ?? plain ?? '') : ((name === undefined ? quoted : undefined) ?? whole);
    if (filter) addFilter(query, filter, value, now);
    else if (value.trim() !== '') query.words.push(foldCaseKeepingLength(value));
  }
  return query;
}

/** Quotes a text as one word of a query. */
export function asWord(text: string): string {
  return /[\s"]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

type Draft = { -readonly [K in keyof Query]: Query[K] extends readonly (infer T)[] ? T[] : Query[K] };

function addFilter(query: Draft, filter: FilterName, value: string, now: number): void {
  // The user is still typing the value.
  if (value === '') return;
  if (filter === 'agent') query.agents.push(foldCaseKeepingLength(value));
  else if (filter === 'folder') query.folders.push(foldCaseKeepingLength(value));
  else if (filter === 'is') addMark(query, value);
  else addDay(query, filter, value, now);
}

function addMark(query: Draft, value: string): void {
  const mark = MARKS.find((one) => one === value.toLowerCase());
  if (mark) query.marks.push(mark);
  else query.problems.push(t('Unknown filter “is:{0}”. Use is:{1}.', value, MARKS.join(', is:')));
}

function addDay(query: Draft, filter: 'after' | 'before', value: string, now: number): void {
  const day = dayOf(value.toLowerCase(), now);
  if (day === undefined) {
    const message = t('“{0}:{1}” is not a valid date. Use {0}:2026-11-30, {0}:yesterday or {0}:7d.', filter, value);
    query.problems.push(message);
  } else if (filter === 'after') query.from = Math.max(query.from ?? -Infinity, day);
  else query.to = Math.min(query.to ?? Infinity, day);
}

/** Start of a local day. `7d` is the day a week ago. */
function dayOf(value: string, now: number): number | undefined {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (value === 'today') return midnight;
  if (value === 'yesterday') return dayBefore(midnight, 1);
  const days = /^(\d{1,5})d$/.exec(value)?.[1];
  if (days !== undefined) return dayBefore(midnight, Number(days));
  const [, year = NaN, month = NaN, day = 1] = (/^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?$/.exec(value) ?? []).map(Number);
  const date = new Date(year, month - 1, Number.isNaN(day) ? 1 : day);
  const isRight = date.getMonth() === month - 1 && (Number.isNaN(day) || date.getDate() === day);
  return isRight ? date.getTime() : undefined;
}

/** By the calendar: a day may have 23 or 25 hours. */
function dayBefore(midnight: number, days: number): number {
  const date = new Date(midnight + DAY_MS / 2);
  date.setDate(date.getDate() - days);
  return date.setHours(0, 0, 0, 0);
}

/** Whether the filters match a session, regardless of words. */
export function matchesFilters(query: Query, item: SessionListItem): boolean {
  const { agents, folders, from = -Infinity, to = Infinity, marks } = query;
  const names = foldCaseKeepingLength(`${item.agent?.name ?? ''}\n${item.agent?.title ?? ''}`);
  const folder = foldCaseKeepingLength(sessionFolder(item) ?? '');
  return (
    (agents.length === 0 || agents.some((agent) => names.includes(agent))) &&
    (folders.length === 0 || folders.some((part) => folder.includes(part))) &&
    item.updatedAt >= from &&
    item.updatedAt < to &&
    marks.every((mark) => hasMark(item, mark))
  );
}

function hasMark(item: SessionListItem, mark: Mark): boolean {
  if (mark === 'archived') return item.archived;
  return mark === 'imported' ? item.imported === true : item.status === mark;
}

/** Match score of a title, 0 for none; without words everything matches. Each word must occur, or its letters in order. */
export function titleScore(title: string, words: readonly string[]): number {
  const folded = foldCaseKeepingLength(title);
  let score = words.length === 0 ? 1 : 0;
  for (const word of words) {
    const at = folded.indexOf(word);
    const one = at < 0 ? fuzzyScore(folded, word) : 2 + Number(at === 0 || /[^\p{L}\p{N}]/u.test(folded[at - 1] ?? ''));
    if (one === 0) return 0;
    score += one;
  }
  return score;
}

/** Letters in order, close together, the first at the start of a word: otherwise everything would match. */
function fuzzyScore(title: string, word: string): number {
  if (word.length < 3) return 0;
  for (let start = title.indexOf(word[0] ?? ''); start >= 0; start = title.indexOf(word[0] ?? '', start + 1)) {
    if (start > 0 && /[\p{L}\p{N}]/u.test(title[start - 1] ?? '')) continue;
    let at = start;
    for (const letter of word.slice(1)) at = at < 0 ? at : title.indexOf(letter, at + 1);
    if (at >= 0 && at - start < word.length * 3) return 1;
  }
  return 0;
}
