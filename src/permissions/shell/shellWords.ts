import type { Word, WordPart } from 'unbash';
import type { ParsedCommandLine } from './shellLine';

/** Possible expansions of words, for denying rules, which another spelling must not bypass. */

/** The word as a file name pattern; undefined if it contains no wildcard. */
export function globWord({ parts, value }: Word): string | undefined {
  return parts?.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob') === true ? value : undefined;
}

/** All values that a word may have: with variables set in the line, and with each alternative of `{a,b}`. */
export function meaningsOf(word: Word, sets: NonNullable<ParsedCommandLine['sets']>): readonly string[] {
  const { parts = [], value } = word;
  if (parts.some(({ type }) => type === 'BraceExpansion')) return expandBraces(value);
  if (!parts.some(isVariable) && !parts.some((part) => part.type === 'DoubleQuoted' && part.parts.some(isVariable)))
    return [value];
  const variables = new Map(sets);
  // The shell splits an unquoted variable's value at blanks.
  const texts = parts.map((part) => partText(part, variables));
  const text = texts.join('');
  return parts.some(isVariable) ? text.split(/\s+/).filter((word) => word !== '') : [text];
}

function partText(part: WordPart, variables: ReadonlyMap<string, string>): string {
  if (part.type === 'DoubleQuoted') return part.parts.map((inner) => partText(inner, variables)).join('');
  const name = variableName(part);
  if (name !== undefined) return variables.get(name) ?? part.text;
  return 'value' in part ? part.value : part.text;
}

function isVariable(part: WordPart): boolean {
  return variableName(part) !== undefined;
}

function variableName(part: WordPart): string | undefined {
  if (part.type === 'SimpleExpansion') return part.text.slice(1);
  if (part.type !== 'ParameterExpansion' || part.operation || part.index || part.prefix) return undefined;
  return part.parameter;
}

/** Maximum number of alternatives. */
const MAX_CHOICES = 50;

function expandBraces(text: string): readonly string[] {
  let words = [text];
  for (let again = true; again && words.length < MAX_CHOICES;) {
    again = false;
    words = words.flatMap((word) => {
      const [, before, inner, after] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(word) ?? [];
      if (inner === undefined) return [word];
      again = true;
      return inner.split(',').map((choice) => `${before}${choice}${after}`);
    });
  }
  return words;
}

/** Larger comparisons count as a match, because they would take too long. */
const MAX_COMPARED = 1_000_000;

/**
 * Whether a shell pattern can expand to a text that a rule's pattern matches. Ignores case. In both patterns,
 * `*` matches any text, and `?` and `[…]` match any character. In shell patterns, only `**` matches a slash.
 */
export function canMeet(rule: string, shell: string): boolean {
  const [a, b] = [symbolsOf(rule.replaceAll('**', '*')), symbolsOf(shell)];
  if (a.length * b.length > MAX_COMPARED) return true;
  const plain = b.findLastIndex((symbol) => !isStar(symbol));
  // Row by row: whether the rest of the rule meets the rest of the shell pattern from each position.
  let below = Array.from({ length: b.length + 1 }, (_, at) => at > plain);
  for (const symbol of a.toReversed()) {
    const row: boolean[] = Array.from({ length: b.length + 1 }, () => false);
    for (let at = b.length; at >= 0; at--) {
      const [next, here, after] = [b[at], below[at] === true, row[at + 1] === true];
      if (symbol === '*') row[at] = here || (next !== undefined && after);
      else if (next !== undefined && isStar(next)) row[at] = after || (here && (next === '**' || symbol !== '/'));
      else row[at] = next !== undefined && areAlike(symbol, next) && below[at + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

/** A pattern that all programs read in the same way: without escapes, classes and nested alternatives. */
const PLAIN_PATTERN = /^(?:[^\\[\]{}()]|\[[\w-]+\]|\{[^\\[\]{}()]*\}|\([^\\[\]{}()]*\))*$/;

/**
 * Whether one of the patterns may match the file, by its name or any part of its path. True without patterns, and for a pattern that
 * programs read differently.
 */
export function isAmong(patterns: readonly string[] | undefined, path: string): boolean {
  if (!patterns || !patterns.every((pattern) => PLAIN_PATTERN.test(pattern))) return true;
  const names = path.split(/[\\/]/);
  return patterns.some((pattern) => {
    const parts = pattern.split('/').filter((part) => part !== '' && part !== '.' && part !== '**');
    const depth = parts.length;
    if (depth === 0 || pattern.includes('**'))
      return depth === 0 || names.some((name) => canMeet(name, parts.at(-1) ?? ''));
    return names.some((_, at) => canMeet(names.slice(at, at + depth).join('/'), parts.join('/')));
  });
}

/** A pattern of names in one folder, which can be looked up: `src/*.ts`, `*.ts`; not `.e*`, `*`, `a/*\/b`. */
const LISTED = /^(?=.*\w)(?:--include=|(?:(?:\.|[\w@+][\w.@+-]*)\/)*)[\w@+*?][\w.@+*?-]*$/;

/** Whether the word is such a pattern without quotes. */
export function isListed({ text, value }: Word): boolean {
  return text === value && LISTED.test(value) && !value.includes('**');
}

function isStar(symbol: string): boolean {
  return symbol === '*' || symbol === '**';
}

function areAlike(symbol: string, next: string): boolean {
  return symbol === next || symbol === '?' || (next === '?' && symbol !== '/');
}

/** Characters, `?`, `*` and `**`; alternatives and classes are widened, nested ones to `**`. */
function symbolsOf(pattern: string): string[] {
  const braced = widened(pattern.toLowerCase(), /\{/g, '}', '*');
  const plain = widened(widened(braced, /[?*+@!]\(/g, ')', '*'), /\[(?!\])/g, ']', '?');
  if (/[{}()]/.test(plain)) return ['**'];
  return plain.match(/\*{2,}|[^]/gu)?.map((symbol) => (symbol.startsWith('**') ? '**' : symbol)) ?? [];
}

/** Replaces each part from an opening to the next closing character, in linear time. */
function widened(text: string, opening: RegExp, closing: string, by: string): string {
  let [done, at] = ['', 0];
  for (const { 0: open, index } of text.matchAll(opening)) {
    if (index < at) continue;
    const end = text.indexOf(closing, index + open.length);
    if (end === -1) break;
    done += text.slice(at, index) + by;
    at = end + 1;
  }
  return done + text.slice(at);
}
