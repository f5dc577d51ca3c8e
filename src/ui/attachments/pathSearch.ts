/** Fuzzy path search like the editor's Quick Open. */

export interface IndexedPath {
  /** Absolute; the identity. */
  readonly uri: string;
  /** For display: relative, with `/`. */
  readonly label: string;
  readonly isFolder: boolean;
  /** `label` in lower case, the start of its last segment in it, and a bit set of its letters. */
  readonly lower: string;
  readonly nameAt: number;
  readonly letters: number;
  /** Penalty for length: shorter paths first among equals, files before folders. */
  readonly cost: number;
}

/** Prepares a path for {@link searchPaths}. */
export function indexPath(uri: string, label: string, isFolder: boolean): IndexedPath {
  const lower = label.toLowerCase();
  const nameAt = lower.lastIndexOf('/') + 1;
  const cost = lower.length / 1000 + (isFolder ? 0.5 : 0);
  return { uri, label, isFolder, lower, nameAt, letters: lettersOf(lower), cost };
}

/** A bit per kind of character: rules out most paths by one operation. */
function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

/** Normalizes a query: lower case, `/` as separator, no leading separator. */
export function normalQuery(query: string): string {
  return query
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '');
}

/** All matches, and the best of them, best first. */
interface FoundPaths {
  readonly all: readonly IndexedPath[];
  readonly best: readonly IndexedPath[];
}

/** The best `limit` matches of a normalized query. Letters match in order, case-insensitively; a file name counts more than folders. */
export function searchPaths(paths: Iterable<IndexedPath>, query: string, limit: number): FoundPaths {
  const letters = lettersOf(query);
  const all: IndexedPath[] = [];
  const best: { readonly path: IndexedPath; readonly score: number }[] = [];
  let least = -Infinity;
  for (const path of paths) {
    if ((path.letters & letters) !== letters) continue;
    const score = scoreOf(path, query);
    if (score === undefined) continue;
    all.push(path);
    if (best.length === limit && score <= least) continue;
    // Stable for equal scores, so that the list does not jump while typing.
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < score) at--;
    best.splice(at, 0, { path, score });
    if (best.length > limit) best.pop();
    if (best.length === limit) least = best.at(-1)?.score ?? least;
  }
  return { all, best: best.map(({ path }) => path) };
}

/** Score of a path, higher is better; undefined without a match. */
export function scoreOf(path: IndexedPath, query: string): number | undefined {
  const { lower, nameAt, cost } = path;
  if (query === '') return -cost;
  const inName = lower.indexOf(query, nameAt);
  if (inName >= 0) return nameScore(path, inName, query.length) - cost;
  const anywhere = nameAt === 0 ? -1 : lower.indexOf(query);
  if (anywhere >= 0) return (isWordStart(lower, anywhere) ? 650 : 600) - cost;
  if (query.length === 1) return undefined;
  const inLetters = scatteredScore(path, query, nameAt);
  if (inLetters !== undefined) return 400 + inLetters - cost;
  const wide = scatteredScore(path, query, 0);
  return wide === undefined ? undefined : wide - cost;
}

/** The query is a substring of the name, at `at` of the path. */
function nameScore({ lower, nameAt }: IndexedPath, at: number, length: number): number {
  if (at === nameAt) return lower.length - nameAt === length ? 1000 : 900;
  return isWordStart(lower, at) ? 800 : 700;
}

/** The query's letters are scattered: up to 200, more if they start words or are adjacent. Undefined when one is missing. */
function scatteredScore({ lower, label }: IndexedPath, query: string, from: number): number | undefined {
  let points = 0;
  let before = from - 2;
  for (let at = 0; at < query.length; at++) {
    const found = lower.indexOf(query.charAt(at), Math.max(from, before + 1));
    if (found < 0) return undefined;
    if (found === before + 1 || isWordStart(label, found)) points++;
    before = found;
  }
  return (200 * points) / query.length;
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
