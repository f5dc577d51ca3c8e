/** Finding paths by a few letters of them, as the editor's own Quick Open does. */

/** A file or folder as it is searched. */
export interface IndexedPath {
  /** Absolute, as a URI; what tells one from another. */
  readonly uri: string;
  /** As people read it: relative, with `/`. */
  readonly label: string;
  readonly isFolder: boolean;
  /** `label` in lower case, where its last part begins in it, and which letters it has. */
  readonly lower: string;
  readonly nameAt: number;
  readonly letters: number;
}

/** Prepares a path for {@link searchPaths}. */
export function indexPath(uri: string, label: string, isFolder: boolean): IndexedPath {
  const lower = label.toLowerCase();
  return { uri, label, isFolder, lower, nameAt: lower.lastIndexOf('/') + 1, letters: lettersOf(lower) };
}

/** A bit for each kind of character, so that most paths are ruled out by one operation. */
function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

/** The best `limit` of `paths` for `query`, best first. Letters count in their order, in any case; a name counts more than the folders. */
export function searchPaths(paths: Iterable<IndexedPath>, query: string, limit: number): IndexedPath[] {
  const wanted = query
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '');
  const letters = lettersOf(wanted);
  const best: { readonly path: IndexedPath; readonly score: number }[] = [];
  for (const path of paths) {
    if ((path.letters & letters) !== letters) continue;
    const score = scoreOf(path, wanted);
    if (score === undefined || (best.length === limit && score <= (best.at(-1)?.score ?? 0))) continue;
    // Of equal ones the first stays first: the list does not jump about while it is typed in.
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < score) at--;
    best.splice(at, 0, { path, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ path }) => path);
}

/** How well a path goes with a query in lower case: higher is better; undefined when it does not. */
export function scoreOf(path: IndexedPath, query: string): number | undefined {
  const { lower, nameAt } = path;
  // Shorter ones first among equals, files before folders.
  const cost = lower.length / 1000 + (path.isFolder ? 0.5 : 0);
  if (query === '') return -cost;
  const whole = wholeScore(lower, nameAt, query);
  if (whole !== undefined) return whole - cost;
  const inName = scattered(path, query, nameAt);
  if (inName !== undefined) return 400 + inName - cost;
  const anywhere = scattered(path, query, 0);
  return anywhere === undefined ? undefined : anywhere - cost;
}

/** For a path that has the query in one piece. */
function wholeScore(lower: string, nameAt: number, query: string): number | undefined {
  const inName = lower.indexOf(query, nameAt);
  if (inName === nameAt) return lower.length - nameAt === query.length ? 1000 : 900;
  if (inName > 0) return isWordStart(lower, inName) ? 800 : 700;
  const anywhere = lower.indexOf(query);
  if (anywhere < 0) return undefined;
  return anywhere === 0 || isWordStart(lower, anywhere) ? 650 : 600;
}

/** For letters that stand apart: up to 200, the more of them begin words or follow each other. Undefined when one is missing. */
function scattered({ lower, label }: IndexedPath, query: string, from: number): number | undefined {
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

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  const isSign = before < 48 || (before > 57 && before < 65) || (before > 90 && before < 97);
  return isSign || (isUpper(text.charCodeAt(at)) && !isUpper(before));
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
