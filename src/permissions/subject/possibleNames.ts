import { fileURLToPath } from 'node:url';

/** Names of files in strings of a tool's arguments. Pure. */

/** Maximum number of times that a text is decoded. */
const MAX_DECODED = 3;

/** Maximum UTF-16 units of a text whose parts are looked at; each line of a longer one is one name. */
const MAX_TEXT = 100_000;

/**
 * What a string may name: itself, its decoded form, items of a list, and each without a position. Of a text that is no
 * list, only parts that can be nothing but a path.
 */
export function possibleNames(text: string): readonly string[] {
  const names = decodedForms(withoutHidden(text)).flatMap((form) =>
    partsOf(form).concat(innerUrls(form), patchedFiles(form), pathOfUrl(form)),
  );
  return [...new Set(names)].flatMap(withoutPosition);
}

/** Characters that are no blanks for `trim`, and that some programs drop. */
const HIDDEN = /[\s\p{Cc}\p{Cf}]/u;

function withoutHidden(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && HIDDEN.test(text.charAt(start))) start += 1;
  while (start < end && HIDDEN.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Undefined for a URL that names no file of this machine. */
export function fileOfUrl(name: string): string | undefined {
  if (!/^(?:file|vscode-[a-z]+):/i.test(name)) return name;
  try {
    return /^file:/i.test(name) ? fileURLToPath(name) : decodeURIComponent(new URL(name).pathname);
  } catch {
    return undefined;
  }
}

/** `workspace:///a` and `fs://a` may name a file; addresses of the network do not. */
function pathOfUrl(text: string): readonly string[] {
  const [, scheme = '', path] = /^([a-z][a-z\d+.-]{0,30}):\/\/(\S*)$/i.exec(text) ?? [];
  const isNetwork = /^(?:https?|wss?|ftps?|sftp|ssh|git|svn|file|vscode-.*)$|^(?:git|svn|hg)\+/i.test(scheme);
  return path === undefined || (isNetwork && !path.startsWith('/')) ? [] : [path];
}

/** `..%2fa` and `..%252fa` are `../a`. */
export function decodedForms(text: string): readonly string[] {
  const forms = [text];
  for (let form = text; forms.length <= MAX_DECODED && /%[\da-f]{2}/i.test(form) && text.length <= MAX_TEXT;) {
    form = decoded(form);
    if (forms.includes(form)) break;
    forms.push(form);
  }
  return forms;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}

function partsOf(text: string): readonly string[] {
  const trimmed = text.split(/[\r\n\u2028\u2029]+/).map((line) => line.trim());
  const lines = [...new Set(trimmed)].filter((line) => line !== '');
  if (text.length > MAX_TEXT) return lines.filter(isCertainPath);
  const [line] = lines;
  if (line !== undefined && lines.length === 1) {
    const items = itemsOf(line).map(withoutQuotes);
    // Of options, each word may be a name.
    return [line, ...(isList(line) || /^--?\w/.test(line) ? items : items.filter(isCertainPath))];
  }
  return lines.every(isList) ? lines.flatMap(itemsOf) : lines.filter(isList).flatMap(itemsOf).filter(isCertainPath);
}

const LIST = /[\0,;|，、；]/;
const SEPARATOR = /[\s\0,;|，、；]+/;

/** Items between commas and the like are names; words between spaces only if all look like names. */
function isList(line: string): boolean {
  const items = line.split(LIST).map((item) => item.trim());
  return items.every((item) => !/\s/.test(item)) || itemsOf(line).every((item) => /[\\/]|^[.~]|\.\w+$/.test(item));
}

/** Numbers are no names. */
function itemsOf(line: string): readonly string[] {
  return line.split(SEPARATOR).filter((item) => /[\p{L}.~/\\]/u.test(item));
}

/** Without quotes and brackets around. */
function withoutQuotes(item: string): string {
  let [start, end] = [0, item.length];
  while (start < end && QUOTES.includes(item.charAt(start))) start += 1;
  while (start < end && QUOTES.includes(item.charAt(end - 1))) end -= 1;
  return item.slice(start, end).replace(/^(?:`([^`]*)`|<([^<>/][^<>]*)>)$/, '$1$2');
}

const QUOTES = '"\'()[]{}';

function isCertainPath(item: string): boolean {
  return CERTAIN.test(item) && !/\s/.test(item) && item !== '/';
}

const CERTAIN =
  /^(?:\/(?![/*])|~|\.\.[\\/]|[A-Za-z]:[\\/]|\\\\|file:|vscode-[a-z]+:|\$[\w{(][\w:.)}]*[\\/]|%\w+%[\\/])/i;

/** URLs of files in a longer text: `jar:file:///a`, `[a](file:///b)`. */
function innerUrls(text: string): readonly string[] {
  return text.slice(0, MAX_TEXT).match(/(?<![\w-])file:\/[^\s"'<>)\]}]+/gi) ?? [];
}

const PATCH =
  /^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to):|---|\+\+\+|rename (?:from|to)|copy (?:from|to)|diff --git \S+) (\S.*)$/gm;

/** The files that a patch changes: `+++ b/x`, `*** Update File: x`. */
function patchedFiles(text: string): readonly string[] {
  return Array.from(text.slice(0, MAX_TEXT).matchAll(PATCH), ([, name = '']) => name.trim().replace(/^[ab]\//, ''));
}

/** `a.ts:3`, `a.ts:3:5`, `a.ts#L3-L5`, `a.ts(3,5)` and `a.ts?x=1` name a.ts, too. */
function withoutPosition(name: string): readonly string[] {
  const query = /^[^?\s]{1,4096}(?=\?[\w.-]{0,100}=)/.exec(name);
  if (query && !name.includes('://')) return [name, query[0]];
  let start = name.length;
  while (start > 0 && /[\dL:#(),-]/.test(name.charAt(start - 1))) start -= 1;
  const at = name.slice(start).search(/[:#(]L?\d/);
  return at < 0 ? [name] : [name, name.slice(0, start + at)];
}
