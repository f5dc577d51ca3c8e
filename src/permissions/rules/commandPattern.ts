import { t } from '../../base/l10n';
import { matchesPieces, wildcard } from './wildcard';

/**
 * The pattern of a command: words, as they stand in the argument vector, never a text that is searched for.
 * `*` within a word stands for any characters of that word, alone for exactly one word; `**` as the last word for any number of
 * words, none included. Quotes keep blanks together and make `*` plain; so does a backslash before it.
 */
export interface CommandPattern {
  /** Each as the plain pieces between its `*`. */
  readonly words: readonly (readonly string[])[];
  /** It ends with `**`. */
  readonly rest: boolean;
}

/** Reads a pattern, or says what is wrong with it. A list is taken as words: blanks and quotes in them are plain. */
export function commandPattern(source: string | readonly string[]): CommandPattern | { readonly problem: string } {
  const words = typeof source === 'string' ? split(source) : source;
  if ('problem' in words) return words;
  const rest = words.at(-1) === '**';
  const fixed = rest ? words.slice(0, -1) : words;
  if (fixed.length === 0) return { problem: t('expected the name of a program, such as "npm test" or "git log **"') };
  if (fixed.includes('**'))
    return { problem: t('"**" stands for the rest of the command, so it can only be its last word') };
  if (fixed[0] === '') return { problem: t('the name of the program is empty') };
  return { words: fixed.map(wildcard), rest };
}

/** True when the words of a command match. */
export function matchesCommand({ words, rest }: CommandPattern, argv: readonly string[]): boolean {
  if (rest ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((pieces, index) => matchesPieces(pieces, argv[index] ?? ''));
}

/** True when the pattern has the word at `index` itself, not a wildcard for it. */
export function namesWord({ words }: CommandPattern, index: number): boolean {
  return words[index]?.length === 1;
}

/** Blanks; quoted text; a backslash that makes the next character plain; anything else. */
const TOKEN = /\s+|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[*\\'"\s]|[^]/gu;

/** Words with wildcards still in them: a `*` or `\` that is plain comes out with a backslash. */
function split(source: string): readonly string[] | { readonly problem: string } {
  const words: string[] = [];
  let isOpen = false;
  for (const [token] of source.trim().matchAll(TOKEN)) {
    if (token.trim() === '') {
      isOpen = false;
      continue;
    }
    if (token === "'" || token === '"') return { problem: t('a quote is not closed: {0}', token) };
    words.push((isOpen ? (words.pop() ?? '') : '') + unquoted(token));
    isOpen = true;
  }
  return words;
}

function unquoted(token: string): string {
  if (token.length > 1 && token.startsWith("'")) return literalWord(token.slice(1, -1));
  if (token.length > 1 && token.startsWith('"')) return literalWord(token.slice(1, -1).replace(/\\(["\\])/g, '$1'));
  if (token.length > 1 && token.startsWith('\\')) return literalWord(token.slice(1));
  return token === '\\' ? literalWord(token) : token;
}

/** A word as a pattern that matches exactly it. */
export function literalWord(word: string): string {
  return word.replace(/[*\\]/g, '\\$&');
}
