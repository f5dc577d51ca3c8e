import { isAbsolute } from 'node:path';
import { isObject } from '../../base/json';
import { toolCommand, toolPaths } from '../../shared/text/toolInput';
import type { RuleCommand } from '../rules/ruleRequest';
import { embeddedValues, flowValues } from './embeddedValues';
import { decodedForms, fileOfUrl, possibleNames } from './possibleNames';

/** What the arguments of a tool may name, whatever their fields are called. */
interface ArgumentWords {
  /** Strings that look like paths, and those in fields for paths, as written. */
  readonly paths: readonly string[];
  /** Other strings of one line, which may be names of files. */
  readonly words: readonly string[];
  /** Strings and lists of strings that may be commands. */
  readonly commands: readonly Pick<RuleCommand, 'argv' | 'line'>[];
  /** There are more of them than are looked at. */
  readonly hasMoreCommands?: true;
  /** The arguments have too many or too long parts, or a path that cannot be read. */
  readonly isUnreadable?: true;
}

const MAX_STRINGS = 1_000;
/** Each is looked up on disk. */
const MAX_NAMES = 2_000;
const MAX_DEPTH = 20;
/** UTF-16 units. */
const MAX_PATH = 4_096;
const MAX_COMMAND = 10_000;
/** Of all strings and lists that may be commands. */
const MAX_COMMANDS = 20_000;
/** Maximum number of folders and files in all names. */
const MAX_SEGMENTS = 30_000;
/** Of a text in another format than JSON. */
const MAX_EMBEDDED = 100_000;
/** Of all strings, those in JSON and the like counted again. */
const MAX_CHARS = 1_000_000;

/**
 * Every string at any depth of a tool's arguments, names of fields and values of other formats in strings included. Pure.
 * @param isText the strings are texts that the request shows as a change, and contain no further values
 */
export function argumentWords(args: unknown, isText = false): ArgumentWords {
  const { strings, commands, ...found } = stringsOf(args, isText);
  const lines = [...strings].flatMap((text) => (text.length <= MAX_COMMAND ? possibleLines(text) : []));
  const few = firstCommands([...commands, ...lines]);
  const all = new Set([...strings].flatMap((text) => (isText ? wholeNames(text) : possibleNames(text))));
  let left = MAX_SEGMENTS;
  const names = [...all].slice(0, MAX_NAMES).filter((name) => (left -= segmentsIn(name)) >= 0);
  const read = names.map(fileOfUrl);
  const isUnreadable =
    found.isUnreadable || all.size > names.length || read.includes(undefined) || names.some(isUnreadablePath);
  const known = read.flatMap((name) => (name !== undefined && name.length <= MAX_PATH ? [name] : []));
  return {
    paths: [...new Set([...toolPaths(args), ...known.filter(looksLikePath)])],
    words: known.filter((name) => !looksLikePath(name)),
    commands: few,
    ...((found.hasMoreCommands || few.length < commands.length + lines.length) && { hasMoreCommands: true }),
    ...(isUnreadable && { isUnreadable }),
  };
}

function segmentsIn(name: string): number {
  return name.split(/[\\/]/).length;
}

/** As many as may be parsed for rules. */
function firstCommands(commands: ArgumentWords['commands']): ArgumentWords['commands'] {
  let left = MAX_COMMANDS;
  return commands.filter((command) => (left -= lengthOf(command)) >= 0);
}

/** UTF-16 units. */
function lengthOf({ line = '', argv = [] }: ArgumentWords['commands'][number]): number {
  return argv.reduce((sum, word) => sum + word.length + 1, line.length);
}

/** A line as written, decoded, and without marks of a prompt or of a program that runs it: `!x`, `$ x`, `@x`. */
function possibleLines(text: string): readonly { readonly line: string }[] {
  const forms = decodedForms(text).flatMap((form) => [form, form.replaceAll(/^[\s!>@$%]{1,20}/gm, '')]);
  return Array.from(new Set(forms), (line) => ({ line }));
}

/** Maximum number of fields of one object that are read as parts of one command. */
const MAX_FIELDS = 8;

/** Maximum number of words of a list that is read as a part of a command. */
const MAX_WORDS = 1_000;

/** The strings and lists of strings in the fields of an object as one command: all in order, and each two. Undefined if there are too many. */
function joinedFields(fields: readonly unknown[]): readonly Pick<RuleCommand, 'argv'>[] | undefined {
  const given = fields.flatMap((field): (string | readonly string[])[] => {
    if (typeof field === 'string') return field.length <= MAX_COMMAND ? [field] : [];
    return isWords(field) && field.length <= MAX_WORDS ? [field] : [];
  });
  if (given.length > MAX_FIELDS) return undefined;
  if (given.length < 2) return [];
  const parts = given.map((field) =>
    typeof field === 'string' ? field.split(/\s+/).filter((word) => word !== '') : field,
  );
  const pairs = parts.flatMap((one) => parts.flatMap((other) => (one === other ? [] : [[...one, ...other]])));
  return [parts.flat(), ...pairs].map((argv) => ({ argv }));
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

interface Strings {
  readonly strings: ReadonlySet<string>;
  readonly commands: readonly Pick<RuleCommand, 'argv' | 'line'>[];
  readonly hasMoreCommands: boolean;
  readonly isUnreadable: boolean;
}

function stringsOf(args: unknown, isText: boolean): Strings {
  const strings = new Set<string>();
  const commands: Pick<RuleCommand, 'argv' | 'line'>[] = [];
  let isUnreadable = false;
  let left = isText ? Infinity : MAX_CHARS;
  let joined = MAX_COMMANDS;
  let isWide = false;
  const visit = (value: unknown, depth: number): void => {
    if (isUnreadable) return;
    if (depth > MAX_DEPTH || strings.size > MAX_STRINGS) isUnreadable = true;
    else if (typeof value === 'string') {
      if (strings.has(value)) return;
      left -= value.length;
      if (left < 0) isUnreadable = true;
      const inner = isText || left < 0 ? undefined : innerValues(value);
      if (!inner?.isJson) strings.add(left < 0 ? value.slice(0, MAX_CHARS) : value);
      if (inner?.isCut) isUnreadable = true;
      for (const item of inner?.values ?? []) visit(item, depth + 1);
    } else if (Array.isArray(value)) {
      if (value.length > 1 && isWords(value)) commands.push({ argv: value });
      for (const item of value) visit(item, depth + 1);
    } else if (isObject(value)) {
      const command = toolCommand(value);
      if (command && 'argv' in command) commands.push(command);
      const more = isText || joined <= 0 ? [] : joinedFields(Object.values(value));
      isWide ||= more === undefined;
      joined -= more?.reduce((sum, each) => sum + lengthOf(each), 0) ?? 0;
      commands.push(...(more ?? []));
      for (const [field, item] of Object.entries(value)) {
        visit(field, depth);
        visit(item, depth + 1);
      }
    }
  };
  visit(args, 0);
  return { strings, commands, hasMoreCommands: joined <= 0 || isWide, isUnreadable };
}

interface InnerValues {
  readonly values: readonly unknown[];
  /** The string is nothing but JSON. */
  readonly isJson: boolean;
  /** There may be more values. */
  readonly isCut?: boolean;
}

/** The values of JSON in a string, also of one per line; of what only looks like JSON, the strings. */
function innerValues(text: string): InnerValues {
  if (!/^\s*[{["]/.test(text)) return withOthers([], text, embeddedValues);
  const whole = parseJson(text);
  if (whole !== undefined) return { values: [whole], isJson: true };
  const values = jsonLines(text);
  if (values) return { values, isJson: true };
  // A quote without an end has the rest of the text, so that the search is linear.
  const quoted = text.match(/"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)/gs) ?? [];
  return withOthers([...new Set(quoted)].slice(0, MAX_STRINGS + 1).map(unquoted), text, flowValues);
}

/** @param read reads values of another format; only a text with such values must be short enough to read all of it */
function withOthers(known: readonly unknown[], text: string, read: typeof embeddedValues): InnerValues {
  const others = read(text.slice(0, MAX_EMBEDDED)).slice(0, MAX_STRINGS + 1);
  return { values: [...known, ...others], isJson: false, isCut: others.length > 0 && text.length > MAX_EMBEDDED };
}

/** The values of JSON lines; undefined for other lines, at the first of which the reader stops: an error takes its time. */
function jsonLines(text: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parseJson(line);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function unquoted(text: string): unknown {
  const whole = text.startsWith('"') && text.includes('\\') ? parseJson(text) : undefined;
  return whole ?? text.replace(/^["']|["']$/g, '');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A text of one line is one name. */
function wholeNames(text: string): readonly string[] {
  const name = text.trim();
  return name === '' || /[\r\n]/.test(name) ? [] : [name];
}

/** `$HOME/x`, `%TEMP%\\x`, and `C:x` in the unknown folder of a drive. */
const UNKNOWN_START = /^(?:\$[\w{(][\w:.)}]*|%\w+%|`[^`]+`|!\w+!)[\\/]|^[A-Za-z]:(?![\\/])\S*[\\/.]/;
/** A folder above one that is not known: `src/$X/../..`, `{a,../..}/x`. */
const UNKNOWN_PARENT = /[$`{[*?<!][^\s]*\.\.(?:[\\/]|$)/;
/** `$HOME` */
const VARIABLE = /^\$\{?[A-Z][A-Z_\d]+\}?$/;

/** Whether it cannot be known which file a path names, or it is too long. */
function isUnreadablePath(name: string): boolean {
  if (VARIABLE.test(name)) return true;
  if (!looksLikePath(name)) return false;
  return name.length > MAX_PATH || UNKNOWN_START.test(name) || UNKNOWN_PARENT.test(name);
}

/** Network URLs have no meaning as files. */
function looksLikePath(name: string): boolean {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(name) || /\s/.test(name.slice(0, MAX_PATH).replace(/[\\/].*/s, ''))) return false;
  return isAbsolute(name) || /^(?:~|\.{1,2}$)|[\\/]/.test(name);
}
