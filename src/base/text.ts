import { t } from './l10n';

/** Adds a full stop of the user's language, unless the text already ends as a sentence. */
export function withFullStop(text: string): string {
  return /[.!?…。！？]$/u.test(text) ? text : t('{0}.', text);
}

/** Begins with a capital letter, unless the first word may be a name, such as a path. */
export function capitalize(text: string): string {
  return /^\p{Ll}+(?=\s|$)/u.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

/** Truncates `text` to at most `max` UTF-16 units, with an ellipsis; never splits a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, safeEnd(text, max - 1))}…`;
}

/** The last `max` UTF-16 units of `text`; never starts inside a surrogate pair. */
export function lastChars(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  const unit = text.charCodeAt(start);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start);
}

const LONG_RUN = /(?<![\p{M}\uFF9E\uFF9F])([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu;

/**
 * As `String.normalize`, in linear time: V8's needs minutes for a run of 500,000 combining marks. A run is cut after 30, which no language
 * needs (UAX #15, Stream-Safe Text Format).
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  return text.replace(LONG_RUN, '$1').normalize(form);
}

/** The first line of `text`, trimmed; for titles and one-line summaries. */
export function firstLine(text: string): string {
  const trimmed = text.trimStart();
  const end = trimmed.search(/[\r\n]/);
  return (end < 0 ? trimmed : trimmed.slice(0, end)).trimEnd();
}

/** A Markdown code block with a fence longer than any inside. */
export function toFenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Folds case for comparison. The result has the same length, so that positions in it are positions in the text. */
export function foldCaseKeepingLength(text: string): string {
  const lower = text.toLowerCase();
  // "İ" is the only character whose lower case is longer.
  return lower.length === text.length ? lower : text.replaceAll(/[^İ]+/g, (part) => part.toLowerCase());
}

/** Decodes %20 and the like; leaves a text that is not percent-encoded. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function safeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

/** The text as every encoding and every process can carry it: a surrogate without its partner becomes U+FFFD. */
export function toWellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\uFFFD');
}
