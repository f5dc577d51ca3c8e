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

/**
 * The message of an error with its reason: agents built with an SDK answer “Internal error” and put the reason into `data`.
 * @param data `error.data` of JSON-RPC: of any shape, JSON in a string included
 * @returns the whole text, without hidden characters
 */
export function errorWithReason(message: string, data: unknown): string {
  const texts = [message, ...textsOf(data, 0)].map((text) => text.trim()).slice(0, MAX_TEXTS);
  const isRepeated = (text: string, at: number): boolean =>
    texts.some((other, index) => index !== at && other.includes(text) && (other !== text || index < at));
  const parts = texts.filter((text, at) => text !== '' && !isRepeated(text, at));
  const joined = parts.reduce((before, part) => `${before}${/[.!?:]$/.test(before) ? ' ' : ': '}${part}`, '');
  return escapeInvisible(toWellFormed(joined.replace(/^: /, '')));
}

function textsOf(value: unknown, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return textsIn(value, depth);
  if (Array.isArray(value)) return value.slice(0, MAX_TEXTS).flatMap((item) => textsOf(item, depth + 1));
  if (!isObject(value)) return [];
  const named = Object.entries(value)
    .map(([name, field]) => ({ rank: REASON_FIELDS.indexOf(name.toLowerCase()), field }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap(({ field }) => textsOf(field, depth + 1));
  if (named.length > 0) return named;
  const others = Object.entries(value).filter(([name]) => name !== 'stack');
  return others.flatMap(([, field]) => textsOf(field, depth + 1)).filter((text) => /\s/.test(text.trim()));
}

/** Texts of services such as `401 {"error":{"message":"…"}}`. */
function textsIn(text: string, depth: number): string[] {
  const start = text.search(/[{[]/);
  const parsed = start < 0 ? undefined : parseJson(text.slice(start));
  const inner = isObject(parsed) || Array.isArray(parsed) ? textsOf(parsed, depth + 1) : [];
  return inner.length > 0 ? [text.slice(0, start).replace(/[\s:]+$/, ''), ...inner] : [text];
}
