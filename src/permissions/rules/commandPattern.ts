import { t } from '../../base/l10n';
import { matchesParts, parseWildcard } from './wildcard';

/**
 * A command pattern: words that are matched against the argument vector, never a substring search. `*` inside a word matches any characters
 * of that word, alone exactly one word; `**` as the last word any number of words, including none. Quotes keep blanks together and make `*`
 * literal, as does a backslash.
 */
export interface CommandPattern {
  /** Each word as the literals between its `*`. */
  readonly words: readonly (readonly string[])[];
  /** Ends with `**`. */
  readonly hasRest: boolean;
}

/** Parses a pattern, or says what is wrong. The items of a list are words, in which blanks and quotes are literal. */
export function commandPattern(source: string | readonly string[]): CommandPattern | { readonly problem: string } {
  const words = typeof source === 'string' ? split(source) : source;
  if ('problem' in words) return words;
  const hasRest = words.at(-1) === '**';
  const fixed = hasRest ? words.slice(0, -1) : words;
  if (fixed.length === 0) return { problem: t('expected the name of a program, such as "npm test" or "git log **"') };
  if (fixed.includes('**')) return { problem: t('"**" matches the rest of the command, so it must be the last word') };
  if (fixed[0] === '') return { problem: t('the name of the program is empty') };
  return { words: fixed.map(parseWildcard), hasRest };
}

export function matchesCommand({ words, hasRest }: CommandPattern, argv: readonly string[]): boolean {
  if (hasRest ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((parts, index) => matchesParts(parts, argv[index] ?? ''));
}

/** Whether the pattern names the word at `index` literally, without a wildcard. */
export function namesWord({ words }: CommandPattern, index: number): boolean {
  return words[index]?.length === 1;
}

/** Blanks; quoted text; an escaped character; anything else. */
const TOKEN = /\s+|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[*\\'"\s]|[^]/gu;

/** Words with wildcards; a literal `*` or `\` keeps a backslash. */
function split(source: string): readonly string[] | { readonly problem: string } {
  const words: string[] = [];
  let isOpen = false;
  for (const [token] of source.trim().matchAll(TOKEN)) {
    if (token.trim() === '') {
      isOpen = false;
      continue;
    }
    if (token === "'" || token === '"') return { problem: t('a quote is not closed: {0}', token) };
    words.push((isOpen ? (words.pop() ?? '') : '') + unquote(token));
    isOpen = true;
  }
  return words;
}

function unquote(token: string): string {
  if (token.length > 1 && token.startsWith("'")) return literalWord(token.slice(1, -1));
  if (token.length > 1 && token.startsWith('"')) return literalWord(token.slice(1, -1).replace(/\\(["\\])/g, '$1'));
  if (token.length > 1 && token.startsWith('\\')) return literalWord(token.slice(1));
  return token === '\\' ? literalWord(token) : token;
}

/** Escapes a word, so that the pattern matches exactly it. */
export function literalWord(word: string): string {
  return word.replace(/[*\\]/g, '\\$&');
}
