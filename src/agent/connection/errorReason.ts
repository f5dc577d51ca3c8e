import { isObject, parseJson } from '../../base/json';
import { toWellFormed } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';

const MAX_DEPTH = 8;
const MAX_TEXTS = 20;

/** Fields whose text explains an error, the most telling first. Names of other fields are only identifiers. */
const REASON_FIELDS = [
  'message',
  'errormessage',
  'error_message',
  'msg',
  'details',
  'detail',
  'reason',
  'description',
  'error_description',
  'error',
  'errors',
  'cause',
  'data',
  'body',
  'response',
  'stderr',
];

/** Names of fields with an identifier: `status`, `statusCode`, `http_status`, `code`, `error_type`. */
const CODE_FIELD = /(?:code|type|kind|status|error|reason|name)$/i;

/** Colors and styles of a terminal (ECMA-48, SGR), which agents copy from the output of programs. */
// oxlint-disable-next-line no-control-regex -- the pattern matches a control character
const COLOR = /\u{1b}\[[\d;:]*m/gu;

/** Removes the secrets of a JSON value, which are known by the names of their fields. */
type Redact = (value: unknown) => unknown;

/**
 * The message of an error with its reason: agents built with an SDK answer “Internal error” and put the reason into `data`.
 * @param data `error.data` of JSON-RPC: of any shape, JSON in a string included; shown as JSON if it has no text
 * @param redact also applied to JSON in strings
 * @returns the whole text, without hidden characters
 */
export function errorWithReason(message: string, data: unknown, redact: Redact = (value) => value): string {
  const redacted = redact(data);
  const found = textsOf(redacted, 0, redact).filter((text) => text.trim() !== '');
  const reasons = found.length > 0 ? found : lastResort(redacted, message, redact);
  const texts = [...textsIn(message, 0, redact), ...reasons].map((text) => plain(text).trim()).slice(0, MAX_TEXTS);
  const keys = texts.map((text) => text.toLowerCase());
  const isRepeated = (_: string, at: number): boolean =>
    keys.some((other, index) => index !== at && other.includes(keys[at] ?? '') && (other !== keys[at] || index < at));
  const parts = texts.filter((text, at) => text !== '' && !isRepeated(text, at));
  const joined = parts.reduce((before, part) => `${before}${/[.!?:]$/.test(before) ? ' ' : ': '}${part}`, '');
  return escapeInvisible(toWellFormed(joined.replace(/^: /, '')));
}

/** What shows at least something of data without a text: the first line of its stack, or its JSON. */
function lastResort(data: unknown, message: string, redact: Redact): string[] {
  const { stack, ...rest } = isObject(data) ? data : { stack: undefined };
  if (typeof stack === 'string') return [stack.split('\n')[0] ?? ''];
  // SDKs repeat the method or URI of the message in the data.
  const isKnown = Object.values(rest).every((value) => typeof value === 'string' && message.includes(value));
  if (isObject(data)) return isKnown ? [] : [JSON.stringify(redact(unpacked(rest, 0)))];
  const isTelling = typeof data === 'number' || (Array.isArray(data) && data.length > 0);
  return isTelling ? [JSON.stringify(redact(unpacked(data, 0)))] : [];
}

/** Without the colors of a terminal, and with the text of a page in HTML. */
function plain(text: string): string {
  const colorless = text.replaceAll(COLOR, '');
  // Two searches, each in linear time.
  if (![/<!doctype html|<html[\s>]/i, /<!doctype html|<\/html>/i].every((mark) => mark.test(colorless)))
    return colorless;
  const titled = colorless.replaceAll(/<(style|script)\b[^<]*<\/\1>/gi, ' ');
  const [body = '', whole = ''] = [titled.replaceAll(/<title\b[^<]*<\/title>/gi, ' '), titled].map((html) =>
    html.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/\s+/g, ' '),
  );
  return body.trim() === '' ? whole : body;
}

/** The codes of an error, for which `errorWithReason` has no words: `status: 401`, `type: authentication_error`. */
export function errorCodes(error: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof error === 'string') return /^\s*["{[]/.test(error) ? errorCodes(parseJson(error), depth + 1) : [];
  if (Array.isArray(error)) return error.slice(0, MAX_TEXTS).flatMap((item) => errorCodes(item, depth + 1));
  if (!isObject(error)) return [];
  return Object.entries(error).flatMap(([name, field]) =>
    typeof field === 'number' || (typeof field === 'string' && !/\s/.test(field) && CODE_FIELD.test(name))
      ? [`${name}: ${field}`]
      : errorCodes(field, depth + 1),
  );
}

/** @param isNamed the name of its field says that it explains the error */
function textsOf(value: unknown, depth: number, redact: Redact, isNamed = true): string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') {
    const texts = textsIn(value, depth, redact);
    return isNamed ? texts : texts.filter((text) => text !== value || /\s/.test(text.trim()));
  }
  if (Array.isArray(value)) {
    return value.slice(0, MAX_TEXTS).flatMap((item) => textsOf(item, depth + 1, redact, isNamed));
  }
  if (!isObject(value)) return [];
  const named = Object.entries(value)
    .map(([name, field]) => ({ rank: REASON_FIELDS.indexOf(name.toLowerCase()), field }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap(({ field }) => textsOf(field, depth + 1, redact));
  if (named.length > 0) return named;
  const others = Object.entries(value).filter(([name]) => name !== 'stack');
  return others.flatMap(([, field]) => textsOf(field, depth + 1, redact, false));
}

/** Texts of services such as `401 {"error":{"message":"…"}}`. */
function textsIn(text: string, depth: number, redact: Redact): string[] {
  const quoted = /^\s*"/.test(text) && depth < MAX_DEPTH ? parseJson(text) : undefined;
  if (typeof quoted === 'string') return textsIn(quoted, depth + 1, redact);
  const start = text.search(/[{[]/);
  const parsed = start < 0 ? undefined : parseJson(text.slice(start));
  if (!isObject(parsed) && !Array.isArray(parsed)) return [text];
  const before = text.slice(0, start).replace(/(?<![\s:])[\s:]+$/, '');
  const value = redact(unpacked(parsed, depth));
  const inner = textsOf(value, depth + 1, redact);
  if (inner.length > 0) return [before, ...inner];
  const json = JSON.stringify(value);
  return [json === JSON.stringify(parsed) ? text : `${before} ${json}`];
}

/** With JSON in strings parsed, so that its fields have names. */
function unpacked(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === 'string') {
    const parsed = /^\s*["{[]/.test(value) ? parseJson(value) : undefined;
    return parsed === undefined ? value : unpacked(parsed, depth + 1);
  }
  if (Array.isArray(value)) return value.map((item) => unpacked(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unpacked(field, depth + 1)]));
}
