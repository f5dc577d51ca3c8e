/** Fuzzy path search like the editor's Quick Open. */

/** What a query matches from the start of a path, letter by letter. */
interface Matched {
  /** Number of letters found, those of them that start words or are adjacent, and the position of the last one. */
  readonly count: number;
  readonly points: number;
  readonly last: number;
}

const NOTHING: Matched = { count: 0, points: 0, last: -1 };

/** The folders above some paths, with their slash: what a query matches in them is found once for all of these paths. */
export class PathPrefix {
  #query = '';
  #at = -1;
  /** Length of the query's folders if the prefix ends with them and does not contain the query. */
  #overlap = 0;
  #matched = NOTHING;

  constructor(
    readonly label: string,
    readonly lower = label.toLowerCase(),
  ) {}

  /** Where a query begins that is not in the name: in the prefix, or at its end and continued by the name; -1 if nowhere. */
  indexOf(query: string, { lower, nameAt }: IndexedPath): number {
    this.#read(query);
    const start = nameAt - this.#overlap;
    return this.#overlap > 0 && lower.startsWith(query, start) ? start : this.#at;
  }

  matched(query: string): Matched {
    this.#read(query);
    return this.#matched;
  }

  #read(query: string): void {
    if (query === this.#query) return;
    this.#query = query;
    this.#at = this.lower.indexOf(query);
    const folders = query.slice(0, query.lastIndexOf('/') + 1);
    this.#overlap = this.#at < 0 && this.lower.endsWith(folders) ? folders.length : 0;
    this.#matched = matchLetters(this, query, NOTHING);
  }
}

export interface IndexedPath {
  /** Absolute; the identity. */
  readonly uri: string;
  /** For display: relative, with `/`. */
  readonly label: string;
  readonly isFolder: boolean;
  /** `label` in lower case, the start of its last segment in it, and bit sets of the letters of both. */
  readonly lower: string;
  readonly nameAt: number;
  readonly letters: number;
  readonly nameLetters: number;
  readonly prefix: PathPrefix;
  /** Penalty for length: shorter paths first among equals, files before folders. */
  readonly cost: number;
}

/**
 * Prepares a path for {@link searchPaths}.
 * @param prefix that of the other paths in the folder
 */
export function indexPath(uri: string, label: string, isFolder: boolean, prefix?: PathPrefix): IndexedPath {
  const lower = label.toLowerCase();
  const nameAt = lower.lastIndexOf('/') + 1;
  const cost = lower.length / 1000 + (isFolder ? 0.5 : 0);
  return {
    uri,
    label,
    isFolder,
    lower,
    nameAt,
    letters: lettersOf(lower),
    nameLetters: lettersOf(lower, nameAt),
    prefix: prefix ?? new PathPrefix(label.slice(0, nameAt)),
    cost,
  };
}

const LETTER_A = 97;
const LETTERS = 26;

/** A bit per letter, and six for all other characters: rules out most paths by one operation. */
function lettersOf(text: string, from = 0): number {
  let bits = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = code - LETTER_A;
    bits |= 1 << (letter >= 0 && letter < LETTERS ? letter : LETTERS + (code % 6));
  }
  return bits;
}

/** Normalizes a query: lower case, `/` as separator, no leading separator. */
export function normalQuery(query: string): string {
  return query
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '');
}

interface FoundPaths {
  /** All matches, and paths that were not tested since they could not be among the best. */
  readonly possible: readonly IndexedPath[];
  /** Best first. */
  readonly best: readonly IndexedPath[];
}

/** The best `limit` matches of a normalized query. Letters match in order, case-insensitively; a file name counts more than folders. */
export function searchPaths(paths: readonly IndexedPath[], query: string, limit: number): FoundPaths {
  const letters = lettersOf(query);
  const possible: IndexedPath[] = [];
  const best: { readonly path: IndexedPath; readonly score: number }[] = [];
  let least = -Infinity;
  for (const path of paths) {
    if ((path.letters & letters) !== letters) continue;
    const score = scoreOf(path, query, letters, least);
    if (score === undefined) continue;
    possible.push(path);
    if (best.length === limit && score <= least) continue;
    // Stable for equal scores, so that the list does not jump while typing.
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < score) at--;
    best.splice(at, 0, { path, score });
    if (best.length > limit) best.pop();
    if (best.length === limit) least = best.at(-1)?.score ?? least;
  }
  return { possible, best: best.map(({ path }) => path) };
}

/** The most that a match outside the name, and one of scattered letters in the name and in the path, can get. */
const [MAX_OUTSIDE, MAX_IN_NAME, MAX_WIDE] = [650, 600, 200];

/**
 * Score of a path, higher is better; undefined without a match.
 * @param letters of the query
 * @param least a path that cannot exceed it may get it untested
 */
export function scoreOf(
  path: IndexedPath,
  query: string,
  letters = lettersOf(query),
  least = -Infinity,
): number | undefined {
  const { lower, nameAt, cost } = path;
  if (query === '') return -cost;
  const mayBeInName = (path.nameLetters & letters) === letters;
  const inName = mayBeInName ? lower.indexOf(query, nameAt) : -1;
  if (inName >= 0) return nameScore(path, inName, query.length) - cost;
  if (least >= MAX_OUTSIDE - cost) return least;
  const anywhere = path.prefix.indexOf(query, path);
  if (anywhere >= 0) return (isWordStart(lower, anywhere) ? MAX_OUTSIDE : 600) - cost;
  if (query.length === 1) return undefined;
  if (least >= MAX_IN_NAME - cost) return least;
  const inLetters = mayBeInName ? scatteredScore(path, query, { ...NOTHING, last: nameAt - 1 }) : undefined;
  if (inLetters !== undefined) return 400 + inLetters - cost;
  if (least >= MAX_WIDE - cost) return least;
  const wide = scatteredScore(path, query, path.prefix.matched(query));
  return wide === undefined ? undefined : wide - cost;
}

/** The query is a substring of the name, at `at` of the path. */
function nameScore({ lower, nameAt }: IndexedPath, at: number, length: number): number {
  if (at === nameAt) return lower.length - nameAt === length ? 1000 : 900;
  return isWordStart(lower, at) ? 800 : 700;
}

/** The query's letters are scattered: up to 200, more if they start words or are adjacent. Undefined when one is missing. */
function scatteredScore(path: IndexedPath, query: string, from: Matched): number | undefined {
  const { count, points } = matchLetters(path, query, from);
  return count === query.length ? (200 * points) / count : undefined;
}

function matchLetters({ label, lower }: PathPrefix | IndexedPath, query: string, from: Matched): Matched {
  let { count, points, last } = from;
  for (; count < query.length; count++) {
    const found = lower.indexOf(query.charAt(count), last + 1);
    if (found < 0) break;
    if (found === last + 1 || isWordStart(label, found)) points++;
    last = found;
  }
  return { count, points, last };
}

/** Scripts without spaces between words. */
const WITHOUT_SPACES = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Whether a word of the text begins with the query, whatever its case. For titles: scattered letters would match most of them. */
export function beginsWord(text: string, query: string): boolean {
  const [lower, wanted] = [text.toLowerCase(), query.toLowerCase()];
  if (WITHOUT_SPACES.test(wanted)) return lower.includes(wanted);
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{N}]$/u.test(lower.slice(0, at))) return true;
  return false;
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  const isSign = before < 48 || (before > 57 && before < 65) || (before > 90 && before < 97);
  return isSign || (isUpper(text.charCodeAt(at)) && !isUpper(before));
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
