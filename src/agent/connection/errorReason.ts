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

/** Removes the secrets of a JSON value, which are known by the names of their fields. */
type Redact = (value: unknown) => unknown;

/**
 * The message of an error with its reason: agents built with an SDK answer “Internal error” and put the reason into `data`.
 * @param data `error.data` of JSON-RPC: of any shape, JSON in a string included
 * @param redact also applied to JSON in strings
 * @returns the whole text, without hidden characters
 */
export function errorWithReason(message: string, data: unknown, redact: Redact = (value) => value): string {
  const texts = [...textsIn(message, 0, redact), ...textsOf(redact(data), 0, redact)]
    .map((text) => text.trim())
    .slice(0, MAX_TEXTS);
  const isRepeated = (text: string, at: number): boolean =>
    texts.some((other, index) => index !== at && other.includes(text) && (other !== text || index < at));
  const parts = texts.filter((text, at) => text !== '' && !isRepeated(text, at));
  const joined = parts.reduce((before, part) => `${before}${/[.!?:]$/.test(before) ? ' ' : ': '}${part}`, '');
  return escapeInvisible(toWellFormed(joined.replace(/^: /, '')));
}

function textsOf(value: unknown, depth: number, redact: Redact): string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return textsIn(value, depth, redact);
  if (Array.isArray(value)) return value.slice(0, MAX_TEXTS).flatMap((item) => textsOf(item, depth + 1, redact));
  if (!isObject(value)) return [];
  const named = Object.entries(value)
    .map(([name, field]) => ({ rank: REASON_FIELDS.indexOf(name.toLowerCase()), field }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap(({ field }) => textsOf(field, depth + 1, redact));
  if (named.length > 0) return named;
  const others = Object.entries(value).filter(([name]) => name !== 'stack');
  return others.flatMap(([, field]) => textsOf(field, depth + 1, redact)).filter((text) => /\s/.test(text.trim()));
}

/** Texts of services such as `401 {"error":{"message":"…"}}`. */
function textsIn(text: string, depth: number, redact: Redact): string[] {
  const quoted = /^\s*"/.test(text) && depth < MAX_DEPTH ? parseJson(text) : undefined;
  if (typeof quoted === 'string') return textsIn(quoted, depth + 1, redact);
  const start = text.search(/[{[]/);
  const parsed = start < 0 ? undefined : parseJson(text.slice(start));
  if (!isObject(parsed) && !Array.isArray(parsed)) return [text];
  const before = text.slice(0, start).replace(/[\s:]+$/, '');
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
