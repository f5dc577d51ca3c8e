import { isAbsolute } from 'node:path';
import { isObject } from '../../base/json';
import { toolCommand, toolPaths } from '../../shared/text/toolInput';
import type { RuleCommand } from '../rules/ruleRequest';
import { embeddedValues, flowValues } from './embeddedValues';
import { fileOfUrl, possibleNames } from './possibleNames';

/** What the arguments of a tool may name, whatever their fields are called. */
interface ArgumentWords {
  /** Strings that look like paths, and those in fields for paths, as written. */
  readonly paths: readonly string[];
  /** Other strings of one line, which may be names of files. */
  readonly words: readonly string[];
  /** Strings and lists of strings that may be commands. */
  readonly commands: readonly Pick<RuleCommand, 'argv' | 'line'>[];
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
  const lines = [...strings].flatMap((text) => (text.length <= MAX_COMMAND ? [{ line: text }] : []));
  const all = new Set([...strings].flatMap((text) => (isText ? wholeNames(text) : possibleNames(text))));
  const names = [...all].slice(0, MAX_NAMES);
  const read = names.map(fileOfUrl);
  const isUnreadable =
    found.isUnreadable || all.size > MAX_NAMES || read.includes(undefined) || names.some(isUnreadablePath);
  const known = read.flatMap((name) => (name !== undefined && name.length <= MAX_PATH ? [name] : []));
  return {
    paths: [...new Set([...toolPaths(args), ...known.filter(looksLikePath)])],
    words: known.filter((name) => !looksLikePath(name)),
    commands: [...commands, ...lines],
    ...(isUnreadable && { isUnreadable }),
  };
}

interface Strings {
  readonly strings: ReadonlySet<string>;
  readonly commands: readonly Pick<RuleCommand, 'argv' | 'line'>[];
  readonly isUnreadable: boolean;
}

function stringsOf(args: unknown, isText: boolean): Strings {
  const strings = new Set<string>();
  const commands: Pick<RuleCommand, 'argv' | 'line'>[] = [];
  let isUnreadable = false;
  let left = isText ? Infinity : MAX_CHARS;
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || strings.size > MAX_STRINGS) isUnreadable = true;
    else if (typeof value === 'string') {
      if (strings.has(value)) return;
      left -= value.length;
      if (left < 0) isUnreadable = true;
      const inner = isText || left < 0 ? undefined : innerValues(value);
      if (!inner?.isJson) strings.add(value);
      if (inner?.isCut) isUnreadable = true;
      for (const item of inner?.values ?? []) visit(item, depth + 1);
    } else if (Array.isArray(value)) {
      if (value.length > 1 && value.every((item) => typeof item === 'string')) commands.push({ argv: value });
      for (const item of value) visit(item, depth + 1);
    } else if (isObject(value)) {
      const command = toolCommand(value);
      if (command && 'argv' in command) commands.push(command);
      for (const [field, item] of Object.entries(value)) {
        visit(field, depth);
        visit(item, depth + 1);
      }
    }
  };
  visit(args, 0);
  return { strings, commands, isUnreadable };
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
