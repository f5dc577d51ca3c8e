/** Longer patterns, and paths that need more steps, are undecided: both may come from a workspace, an agent or a model. */
const MAX_PATTERN_CHARS = 4_096;
const MAX_STEPS = 1_000_000;

/** The path that is matched, as characters, and the steps that remain. */
interface Run {
  readonly text: readonly string[];
  left: number;
}

/** The positions, ascending, where a part of the pattern can end if it starts at one of `from`. */
type Step = (run: Run, from: readonly number[]) => readonly number[];

/**
 * Compiles a glob for paths with forward slashes: `*`, `?`, `[a-z]`, `[!a]` (also the name with these brackets), `{a,b}`,
 * `{1..9}`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)`, `!(a)`, `(a|b)`; `**` for any folders; `\` before a literal character. All
 * match names that start with a dot. The time grows with the length of the path, not with its power.
 * @param budget steps for all paths; about 10 million a second
 * @returns whether all of a path matches; undefined if that takes too long to find out
 */
export function compileGlob(
  pattern: string,
  budget: { left: number } = { left: Infinity },
): (path: string) => boolean | undefined {
  if (pattern.length > MAX_PATTERN_CHARS) return () => undefined;
  const short = pattern.replace(/^\.\//, '').replace(/(?:\/\*\*)+(?=\/|$)/g, '/**');
  const sequence = new GlobReader(Array.from(short)).sequence();
  return (path) => {
    const most = Math.min(MAX_STEPS, budget.left);
    const run: Run = { text: Array.from(path), left: most };
    const ends = sequence(run, [0]);
    budget.left -= most - run.left;
    return run.left < 0 ? undefined : path !== '' && ends.at(-1) === run.text.length;
  };
}

class GlobReader {
  /** Index of the end of each group by the index of its start. */
  readonly #groups: ReadonlyMap<number, number>;
  #at = 0;

  constructor(private readonly pattern: readonly string[]) {
    this.#groups = groupsIn(pattern);
  }

  /** Reads up to `end`, or to a separator of the group. */
  sequence(end = this.pattern.length, separator?: string): Step {
    const steps: Step[] = [];
    while (this.#at < end && this.pattern[this.#at] !== separator) steps.push(this.#step());
    return inOrder(steps);
  }

  #step(): Step {
    const symbol = this.pattern[this.#at++] ?? '';
    if (symbol === '\\' && this.#at < this.pattern.length) return literal(this.pattern[this.#at++] ?? '');
    const group = this.#groups.get(this.#at);
    if (/[?*+@!]/.test(symbol) && this.pattern[this.#at] === '(' && group !== undefined) {
      this.#at++;
      return repeated(symbol, this.#alternatives(group, '|'));
    }
    if (symbol === '*') return this.#star();
    if (symbol === '/') return this.#slash();
    if (symbol === '?') return anyOf((char) => char !== '/');
    if (symbol === '[') return this.#class();
    const end = this.#groups.get(this.#at - 1);
    if (end === undefined) return literal(symbol);
    const range = symbol === '{' && /^([^])\.\.([^])$/u.exec(this.pattern.slice(this.#at, end).join(''));
    if (!range) return union(this.#alternatives(end, symbol === '{' ? ',' : '|'));
    this.#at = end + 1;
    return anyOf((char) => char >= (range[1] ?? '') && char <= (range[2] ?? ''));
  }

  #alternatives(end: number, separator: string): readonly Step[] {
    const steps: Step[] = [];
    for (let isLast = false; !isLast; this.#at++) {
      steps.push(this.sequence(end, separator));
      isLast = this.#at >= end;
    }
    return steps;
  }

  #star(): Step {
    const start = this.#at - 1;
    while (this.pattern[this.#at] === '*' && !this.#groups.has(this.#at + 1)) this.#at++;
    const [before = '', after = ''] = [this.pattern[start - 1], this.pattern[this.#at]];
    if (this.#at - start < 2 || !/^[/{,(|]?$/.test(before) || !/^[/},)|]?$/.test(after)) return star;
    if (after !== '/') return anything;
    this.#at++;
    return folders;
  }

  /** `/**` at the end also matches the folder itself, unless a wildcard names it: a file could match. */
  #slash(): Step {
    let end = this.#at;
    while (this.pattern[end] === '*') end++;
    if (this.pattern[this.#at - 2] === '*') return slash;
    if (end - this.#at < 2 || !/^[},)|]?$/.test(this.pattern[end] ?? '')) return slash;
    this.#at = end;
    return below;
  }

  /** A class, or a literal bracket. Also matches its own text: brackets are common in names, as in `[id].ts`. */
  #class(): Step {
    const start = this.#at;
    const isNegated = /[!^]/.test(this.pattern[start] ?? '');
    const end = classEnd(this.pattern, start - 1);
    if (end < 0) return literal('[');
    const has = classOf(this.pattern.slice(start + (isNegated ? 1 : 0), end));
    this.#at = end + 1;
    const own = inOrder(this.pattern.slice(start - 1, this.#at).map(literal));
    return union([anyOf((char) => char !== '/' && has(char) !== isNegated), own]);
  }
}

/** Index of the `]` of a class that starts at `at`, or -1. */
function classEnd(pattern: readonly string[], at: number): number {
  return pattern.indexOf(']', at + (/[!^]/.test(pattern[at + 1] ?? '') ? 3 : 2));
}

/** The groups that are closed, and have several alternatives or an operator. */
function groupsIn(pattern: readonly string[]): ReadonlyMap<number, number> {
  const groups = new Map<number, number>();
  const open: { readonly at: number; isGroup: boolean }[] = [];
  let operator = -1;
  for (let at = 0; at < pattern.length; at++) {
    const symbol = pattern[at] ?? '';
    const inner = open.at(-1);
    if (symbol === '\\') at++;
    else if (symbol === '[') at = Math.max(at, classEnd(pattern, at));
    else if (symbol === '{') open.push({ at, isGroup: /^[^]\.\.[^]\}/u.test(pattern.slice(at + 1, at + 6).join('')) });
    else if (symbol === '(') open.push({ at, isGroup: operator === at - 1 && at > 0 });
    else if (inner && symbol === (pattern[inner.at] === '{' ? ',' : '|')) inner.isGroup = true;
    else if (symbol === '}' || symbol === ')') {
      const start = open.findLastIndex((each) => pattern[each.at] === (symbol === '}' ? '{' : '('));
      const [closed] = start < 0 ? [] : open.splice(start);
      if (closed?.isGroup === true) groups.set(closed.at, at);
    }
    if (/^[?*+@!]$/.test(symbol)) operator = at;
  }
  return groups;
}

function classOf(symbols: readonly string[]): (char: string) => boolean {
  const ranges: [first: string, last: string][] = [];
  for (let at = 0; at < symbols.length; at++) {
    if (symbols[at] === '\\' && at + 1 < symbols.length) at++;
    const first = symbols[at] ?? '';
    const last = symbols[at + 1] === '-' ? symbols[at + 2] : undefined;
    if (last !== undefined) at += 2;
    ranges.push([first, last ?? first]);
  }
  return (char) => ranges.some(([first, last]) => char >= first && char <= last);
}

function inOrder(steps: readonly Step[]): Step {
  return (run, from) => {
    let ends = from;
    for (const step of steps) {
      if (ends.length === 0 || (run.left -= ends.length) < 0) return [];
      ends = step(run, ends);
    }
    return ends;
  };
}

function literal(symbol: string): Step {
  return anyOf((char) => char === symbol);
}

function anyOf(has: (char: string) => boolean): Step {
  return ({ text }, from) => from.flatMap((at) => (at < text.length && has(text[at] ?? '') ? [at + 1] : []));
}

function union(steps: readonly Step[]): Step {
  return (run, from) => merged(steps.map((step) => step(run, from)));
}

function merged(lists: readonly (readonly number[])[]): readonly number[] {
  const filled = lists.filter((list) => list.length > 0);
  return filled.length < 2 ? (filled[0] ?? []) : [...new Set(filled.flat())].toSorted((a, b) => a - b);
}

/** Between two edges are the whole names of folders. */
function isEdge(text: readonly string[], at: number): boolean {
  return at === 0 || text[at - 1] === '/';
}

const slash = literal('/');
const star: Step = (run, from) => spread(run, from, (char) => char !== '/');
const rest: Step = (run, from) => spread(run, from, () => true);

/** `**` at the end; beside other characters it is `*`. */
const anything: Step = (run, from) =>
  merged([
    rest(
      run,
      from.filter((at) => isEdge(run.text, at)),
    ),
    star(
      run,
      from.filter((at) => !isEdge(run.text, at)),
    ),
  ]);

/** `**` and a slash. */
const folders: Step = (run, from) =>
  merged([from.filter((at) => isEdge(run.text, at)), slash(run, anything(run, from))]);

/** A slash and `**` at the end. */
const below: Step = (run, from) =>
  rest(
    run,
    from.filter((at) => at === run.text.length || run.text[at] === '/'),
  );

/** From each position over all characters that follow while they are `allowed`. */
function spread(run: Run, from: readonly number[], allowed: (char: string) => boolean): readonly number[] {
  const ends: number[] = [];
  for (const start of from) {
    if (start <= (ends.at(-1) ?? -1)) continue;
    let at = start;
    ends.push(at);
    for (; at < run.text.length && allowed(run.text[at] ?? ''); ends.push(at)) at++;
  }
  run.left -= ends.length;
  return ends;
}

function repeated(operator: string, alternatives: readonly Step[]): Step {
  const once = union(alternatives);
  if (operator === '@') return once;
  if (operator === '?') return (run, from) => merged([from, once(run, from)]);
  if (operator === '!') return (run, from) => merged(from.map((at) => except(once, run, at)));
  return (run, from) => {
    const reached = new Set<number>(operator === '*' ? from : []);
    for (let front = once(run, from); front.length > 0 && run.left >= 0;) {
      const added = front.filter((at) => !reached.has(at));
      for (const at of added) reached.add(at);
      front = once(run, added);
    }
    return [...reached].toSorted((a, b) => a - b);
  };
}

/** The rest of a name without the ends that the alternatives have. */
function except(alternatives: Step, run: Run, at: number): readonly number[] {
  if (run.left < 0) return [];
  const ends = new Set(alternatives(run, [at]));
  return star(run, [at]).filter((end) => !ends.has(end));
}
