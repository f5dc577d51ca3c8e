import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import type { FrontMatterItem, FrontMatterValue } from './frontMatter';
import { readFrontMatter } from './frontMatter';
import { INPUT_PLACEHOLDER } from './inputPlaceholder';

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

export interface PromptFile {
  /** One word, without the slash. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly description: string;
  /** The file's own text for what follows the name. */
  readonly hint?: string;
  readonly arguments: readonly PromptArgument[];
  /** With placeholders. */
  readonly body: string;
}

/** UTF-16 units. */
export const MAX_PROMPT_FILE = 256 * 1024;

const FIELDS = new Set(['name', 'description', 'argument-hint', 'arguments']);
const NAME = /^[^\s/:]+$/;
const MAX_ARGUMENTS = 100;
/** UTF-16 units of a description, a hint, or a problem, which go to each page. */
const MAX_SHOWN = 1_000;
const ARGUMENT_NAME = /^[\p{L}_][\p{L}\p{N}_-]*$/u;

/**
 * Parses Markdown with front matter (`name`, `description`, `argument-hint`, `arguments`; fields of other programs, such as `mode`, `model`
 * and `tools`, are ignored). The name defaults to the file's.
 * @throws ParleyError `badInput` that names the problem, and the line if known
 */
export function parsePromptFile(path: string, text: string): PromptFile {
  if (text.length > MAX_PROMPT_FILE) throw promptFileError(t('the file is larger than {0} KB', MAX_PROMPT_FILE / 1024));
  const { fields, body } = readFrontMatter(text, FIELDS);
  const name = fieldText(fields, 'name') ?? promptName(path);
  if (!NAME.test(name)) throw promptFileError(t('the name “{0}” must be one word without “/” and “:”', name));
  if (body.trim() === '') throw promptFileError(t('there is no text below the front matter'));
  const hint = fieldText(fields, 'argument-hint');
  return {
    name,
    path,
    description: truncate(firstLine(fieldText(fields, 'description') ?? ''), MAX_SHOWN),
    ...(hint !== undefined && { hint: truncate(hint, MAX_SHOWN) }),
    arguments: withThoseOfText(readArguments(fields['arguments']), body),
    body: body.trim(),
  };
}

/** `review` for `…/review.prompt.md` and `…/review.md`. */
export function promptName(path: string): string {
  const file = path.split(/[\\/]/).at(-1) ?? path;
  return file.replace(/(?:\.prompt)?\.md$/i, '');
}

function readArguments(value: FrontMatterValue | undefined): PromptArgument[] {
  if (value === undefined || value === '') return [];
  // A single argument may be given without a list.
  const items = typeof value === 'string' ? value.split(/[\s,]+/) : value;
  if (typeof items === 'boolean') throw promptFileError(t('“arguments” must be a list'));
  const read = items.map(toArgument);
  if (read.length > MAX_ARGUMENTS) throw promptFileError(t('it has more than {0} arguments', MAX_ARGUMENTS));
  const twice = read.find(({ name }, index) => read.findIndex((one) => one.name === name) !== index);
  if (twice) throw promptFileError(t('the argument “{0}” is listed twice', twice.name));
  return read;
}

function toArgument(item: FrontMatterItem): PromptArgument {
  const fields = typeof item === 'string' ? { name: item } : item;
  const { name, description, required } = fields as Readonly<Record<string, string | boolean | undefined>>;
  if (typeof name !== 'string' || !ARGUMENT_NAME.test(name))
    throw promptFileError(
      t('an argument name must consist of letters, digits, “-” and “_”, got “{0}”', String(name ?? '')),
    );
  if (required !== undefined && typeof required !== 'boolean')
    throw promptFileError(t('“required” of the argument “{0}” must be true or false', name));
  const details =
    typeof description === 'string' && description !== '' ? { description: truncate(description, MAX_SHOWN) } : {};
  return { name, ...details, required: required ?? true };
}

/** `${input:name}` in the text needs no entry in the front matter. */
function withThoseOfText(declared: readonly PromptArgument[], body: string): PromptArgument[] {
  const all = [...declared];
  const names = new Set(declared.map(({ name }) => name));
  for (const [, name = '', placeholder] of body.matchAll(INPUT_PLACEHOLDER)) {
    if (!ARGUMENT_NAME.test(name) || names.has(name)) continue;
    if (names.size >= MAX_ARGUMENTS) throw promptFileError(t('it has more than {0} arguments', MAX_ARGUMENTS));
    names.add(name);
    all.push({ name, ...(placeholder && { description: placeholder }), required: true });
  }
  return all;
}

function fieldText(fields: Readonly<Record<string, FrontMatterValue>>, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === '') return undefined;
  // `argument-hint: [path]` is a YAML list but means the literal text.
  if (typeof value === 'object') return `[${value.map(String).join(', ')}]`;
  return String(value);
}

function promptFileError(what: string): ParleyError {
  return new ParleyError('badInput', truncate(what, MAX_SHOWN));
}
