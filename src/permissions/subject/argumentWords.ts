import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../base/json';
import { toolCommand, toolPaths } from '../../shared/text/toolInput';
import type { RuleCommand } from '../rules/ruleRequest';

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
const MAX_DEPTH = 20;
/** UTF-16 units. */
const MAX_PATH = 4_096;
const MAX_COMMAND = 10_000;

/** Every string at any depth of a tool's arguments, names of fields included. Pure. */
export function argumentWords(args: unknown): ArgumentWords {
  const strings = new Set<string>();
  const commands: Pick<RuleCommand, 'argv' | 'line'>[] = [];
  let isUnreadable = false;
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || strings.size > MAX_STRINGS) isUnreadable = true;
    else if (typeof value === 'string') strings.add(value);
    else if (Array.isArray(value)) {
      if (value.length > 1 && value.every((item) => typeof item === 'string')) commands.push({ argv: value });
      for (const item of value) visit(item, depth + 1);
    } else if (isObject(value)) {
      const command = toolCommand(value);
      if (command && 'argv' in command) commands.push(command);
      for (const [field, item] of Object.entries(value)) {
        strings.add(field);
        visit(item, depth + 1);
      }
    }
  };
  visit(args, 0);
  const lines = [...strings].flatMap((text) => (text.length <= MAX_COMMAND ? [{ line: text }] : []));
  const names = [...strings].flatMap(possibleNames);
  const read = names.map(fromFileUrl);
  if (read.includes(undefined) || names.some(isUnreadablePath)) isUnreadable = true;
  const known = read.flatMap((name) => (name !== undefined && name.length <= MAX_PATH ? [name] : []));
  return {
    paths: [...new Set([...toolPaths(args), ...known.filter(looksLikePath)])],
    words: known.filter((name) => !looksLikePath(name)),
    commands: [...commands, ...lines],
    ...(isUnreadable && { isUnreadable }),
  };
}

/** Of text with several lines, only lines that can be nothing but a path. */
function possibleNames(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (lines.length === 1) return lines.filter((line) => line !== '');
  return lines.filter((line) => /^(?:\/(?![/*])|~|\.\.[\\/]|[A-Za-z]:[\\/]|file:)\S*$/.test(line));
}

/** Undefined for a file URL that names no file of this machine. */
function fromFileUrl(name: string): string | undefined {
  if (!/^file:/i.test(name)) return name;
  try {
    return fileURLToPath(name);
  } catch {
    return undefined;
  }
}

/** Too long, or starts with a variable. */
function isUnreadablePath(name: string): boolean {
  return looksLikePath(name) && (name.length > MAX_PATH || /^(?:\$\{?\w+\}?|%\w+%)[\\/]/.test(name));
}

/** Network URLs have no meaning as files. */
function looksLikePath(name: string): boolean {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(name) || /\s/.test(name.slice(0, MAX_PATH).replace(/[\\/].*/s, ''))) return false;
  return isAbsolute(name) || /^(?:~|\.{1,2}$)|[\\/]/.test(name);
}
