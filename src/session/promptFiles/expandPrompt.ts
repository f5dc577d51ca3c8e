import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { INPUT_PLACEHOLDER } from './inputPlaceholder';
import type { PromptArgument, PromptFile } from './promptFile';

/** UTF-16 units of all substituted values: a file may repeat a long one as often as it has room. */
const MAX_SUBSTITUTED = 4 * 1024 * 1024;

type PromptValues = Readonly<Record<string, string>>;

/** A typed word without quotation marks, and its position. */
interface Word {
  readonly text: string;
  /** Only for `name=value`. */
  readonly name?: string;
  readonly value: string;
  readonly start: number;
}

/** `name="two words"`, `"two words"` or a word. A quotation mark inside a word is literal. */
const WORD = /(?:([\p{L}_][\p{L}\p{N}_-]*)=)?(?:"((?:[^"\\]|\\["\\])*)"|'([^']*)'|(\S*))(?=\s|$)|\S+/gu;

const PLACEHOLDER = new RegExp(`${INPUT_PLACEHOLDER.source}|\\$ARGUMENTS\\b|\\$([1-9])(?!\\d)`, 'g');

interface HasArguments {
  readonly hint?: string;
  readonly arguments: readonly PromptArgument[];
}

/** Shown after the name in the completion list: the file's own hint, else its arguments. */
export function promptHint({ hint, arguments: args }: HasArguments): string | undefined {
  if (hint !== undefined) return hint;
  if (args.length === 0) return undefined;
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/**
 * Parses what follows the name: `name=value` for named arguments, other words (quoted if they have blanks) in order; the last argument
 * takes the rest.
 */
export function readPromptValues(typed: string, args: readonly PromptArgument[]): PromptValues {
  const values: Record<string, string> = {};
  const free: Word[] = [];
  for (const word of wordsOf(typed)) {
    if (word.name !== undefined && args.some(({ name }) => name === word.name)) values[word.name] ??= word.value;
    else free.push(word);
  }
  const open = args.filter(({ name }) => !Object.hasOwn(values, name));
  for (const [index, { name }] of open.entries()) {
    const word = free[index];
    if (!word) break;
    const isLast = index === open.length - 1 && free.length > open.length;
    values[name] = isLast ? typed.slice(word.start).trim() : word.text;
  }
  return values;
}

/**
 * Substitutes arguments: `${input:name}`, `$ARGUMENTS` (everything typed) and `$1` … `$9` (words). A prompt without placeholders gets the
 * text appended. Values are never expanded again.
 * @param typed the text after the name
 * @throws ParleyError `badInput` when a required argument is missing
 */
export function expandPrompt(file: PromptFile, typed: string): string {
  const rest = typed.trim();
  const values = readPromptValues(rest, file.arguments);
  return renderPrompt(file, values, rest);
}

/**
 * Like {@link expandPrompt} with named values, as in MCP's `prompts/get`.
 * @param rest value of `$ARGUMENTS`
 * @throws ParleyError `badInput`
 */
export function renderPrompt(file: PromptFile, values: PromptValues, rest = Object.values(values).join(' ')): string {
  const missing = file.arguments.filter(({ name, required }) => required && !values[name]);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `“${name}”`).join(' and ');
    const usage = [`/${file.name}`, promptHint(file)].filter(Boolean).join(' ');
    throw new ParleyError('badInput', t('Provide a value for {0}', names), { nextStep: t('Usage: {0}', usage) });
  }
  const words = wordsOf(rest).map(({ text }) => text);
  let isUsed = false;
  let substituted = 0;
  const use = (value: string): string => {
    substituted += value.length;
    if (substituted > MAX_SUBSTITUTED)
      throw new ParleyError('badInput', t('/{0} repeats its arguments too often', file.name));
    return value;
  };
  const text = file.body.replace(
    PLACEHOLDER,
    (placeholder: string, name: string | undefined, _description: string | undefined, number: string | undefined) => {
      if (name !== undefined && !file.arguments.some((one) => one.name === name)) return placeholder;
      isUsed = true;
      if (name !== undefined) return use(values[name] ?? '');
      return use(number === undefined ? rest : (words[Number(number) - 1] ?? ''));
    },
  );
  return isUsed || rest === '' ? text : `${text}\n\n${rest}`;
}

function wordsOf(typed: string): Word[] {
  return Array.from(typed.matchAll(WORD)).flatMap((match) => {
    const [text, name, double, single, plain] = match;
    if (text === '') return [];
    const value = double?.replace(/\\(["\\])/g, '$1') ?? single ?? plain ?? text;
    const start = match.index;
    return [name === undefined ? { text: value, value, start } : { text: `${name}=${value}`, name, value, start }];
  });
}
