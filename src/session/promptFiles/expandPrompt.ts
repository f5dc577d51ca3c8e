import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { PromptArgument, PromptFile } from './promptFile';

/** Values of a prompt's arguments by their names. */
export type PromptValues = Readonly<Record<string, string>>;

/** A word that was typed, without its quotation marks, and where it begins. */
interface Word {
  readonly text: string;
  /** Of a word that is written `name=value`, and its value. */
  readonly name?: string;
  readonly value: string;
  readonly start: number;
}

/** `name="two words"`, `"two words"` or a word. A quotation mark inside a word is no quotation. */
const WORD = /(?:([\p{L}_][\p{L}\p{N}_-]*)=)?(?:"((?:[^"\\]|\\["\\])*)"|'([^']*)'|(\S*))(?=\s|$)|\S+/gu;

/** What follows the name in the completion: the file's own hint, else its arguments. */
export function promptHint({ hint, arguments: known }: PromptFile): string | undefined {
  if (hint !== undefined) return hint;
  if (known.length === 0) return undefined;
  return known.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/**
 * Reads what was typed after the name: `name=value` for the arguments of that name, and words (quoted ones may have blanks) for the
 * others in their order, the last of which takes all the rest.
 */
export function readPromptValues(typed: string, known: readonly PromptArgument[]): PromptValues {
  const values: Record<string, string> = {};
  const free: Word[] = [];
  for (const word of wordsOf(typed)) {
    if (word.name !== undefined && known.some(({ name }) => name === word.name)) values[word.name] ??= word.value;
    else free.push(word);
  }
  const open = known.filter(({ name }) => !Object.hasOwn(values, name));
  for (const [index, { name }] of open.entries()) {
    const word = free[index];
    if (!word) break;
    const isLast = index === open.length - 1 && free.length > open.length;
    values[name] = isLast ? typed.slice(word.start).trim() : word.text;
  }
  return values;
}

/**
 * The text of a prompt with its arguments in place: `${input:name}`, `$ARGUMENTS` (all that was typed) and `$1` … `$9` (its words).
 * What was typed for a prompt without any such place follows its text. Each place is filled once: a value is never searched for more.
 * @param typed what stands after the name
 * @throws ParleyError `badInput` when a required argument is missing
 */
export function expandPrompt(file: PromptFile, typed: string): string {
  const rest = typed.trim();
  const values = readPromptValues(rest, file.arguments);
  return renderPrompt(file, values, rest);
}

/**
 * The same with values by name, as MCP's `prompts/get` brings them.
 * @param rest stands for `$ARGUMENTS`
 * @throws ParleyError `badInput`
 */
export function renderPrompt(file: PromptFile, values: PromptValues, rest = Object.values(values).join(' ')): string {
  const missing = file.arguments.filter(({ name, required }) => required && !values[name]);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `“${name}”`).join(' and ');
    const usage = [`/${file.name}`, promptHint(file)].filter(Boolean).join(' ');
    throw new ParleyError('badInput', t('{0} must be given', names), { nextStep: t('Write: {0}', usage) });
  }
  const words = wordsOf(rest).map(({ text }) => text);
  let used = false;
  const text = file.body.replace(
    /\$\{input:([^}:]+)(?::[^}]*)?\}|\$ARGUMENTS\b|\$([1-9])(?!\d)/g,
    (place: string, name: string | undefined, number: string | undefined) => {
      if (name !== undefined && !file.arguments.some((one) => one.name === name)) return place;
      used = true;
      if (name !== undefined) return values[name] ?? '';
      return number === undefined ? rest : (words[Number(number) - 1] ?? '');
    },
  );
  return used || rest === '' ? text : `${text}\n\n${rest}`;
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
