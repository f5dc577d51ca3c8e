import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Attachment } from '../../../shared/state/attachments';

/** An `@` and the text up to the caret. */
export interface MentionAt {
  /** Index of the `@`. */
  readonly start: number;
  /** Index of the caret. */
  readonly end: number;
  readonly query: string;
}

/** Longer names would fill the message box. */
const MAX_NAME = 80;

/** The mention at the caret, with or without quotes; undefined elsewhere, and in an email address. */
export function mentionAt(text: string, caret: number): MentionAt | undefined {
  if (caret < 0) return undefined;
  const found = /(?<![^\s([{"'`])@(?:"([^"@\n]{0,200})|(?!")([^\s@]{0,200}))$/.exec(
    text.slice(Math.max(0, caret - 210), caret),
  );
  return found ? { start: caret - found[0].length, end: caret, query: found[1] ?? found[2] ?? '' } : undefined;
}

/** The text for an attachment, a name with blanks in quotes; empty when its name is not suitable. */
export function mentionWord({ kind, label }: Attachment): string {
  const name = kind === 'session' ? label : label.slice(label.lastIndexOf('/') + 1);
  if (name === '' || name.length > MAX_NAME || /["\n]/.test(name) || escapeInvisibleInline(name) !== name) return '';
  return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}

/** The text in pieces, of which every second one is the mention of an attachment. */
export function splitAtMentions(text: string, attached: readonly Attachment[]): readonly string[] {
  const words = new Set(attached.map(mentionWord));
  const places = [...words].flatMap((word) => mentionsOf(text, word).map((at) => ({ at, end: at + word.length })));
  const pieces: string[] = [];
  let done = 0;
  for (const { at, end } of places.toSorted((one, other) => one.at - other.at)) {
    if (at < done) continue;
    pieces.push(text.slice(done, at), text.slice(at, end));
    done = end;
  }
  return [...pieces, text.slice(done)];
}

/**
 * The attachments whose mention the user has not just deleted from the text. Of attachments with the same word, the nth belongs to the nth
 * mention.
 * @param caret position in `after`: where the deleted text was
 */
export function mentionedStill(
  attached: readonly Attachment[],
  before: string,
  after: string,
  caret: number,
): readonly Attachment[] {
  const words = new Set(attached.map(mentionWord));
  const dropped = new Set<Attachment>();
  const start = Math.min(caret, sharedStart(before, after));
  for (const word of words) {
    const same = attached.filter((one) => mentionWord(one) === word);
    const remaining = mentionsOf(after, word);
    const count = Math.min(mentionsOf(before, word).length, same.length) - remaining.length;
    if (count <= 0) continue;
    const first = remaining.filter((index) => index + word.length <= start).length;
    for (const one of same.slice(first, first + count)) dropped.add(one);
  }
  return dropped.size === 0 ? attached : attached.filter((one) => !dropped.has(one));
}

export function removeMention(text: string, attachment: Attachment, attached: readonly Attachment[]): string {
  const word = mentionWord(attachment);
  const same = attached.filter((one) => mentionWord(one) === word);
  const start = mentionsOf(text, word)[same.indexOf(attachment)];
  if (start === undefined) return text;
  const end = start + word.length;
  return text.slice(0, start) + text.slice(text[end] === ' ' ? end + 1 : end);
}

/** Indexes in the text where the word stands alone. */
function mentionsOf(text: string, word: string): readonly number[] {
  if (word === '') return [];
  const isAlone = (at: number): boolean =>
    !/\S$/.test(text.slice(Math.max(0, at - 1), at)) &&
    !/^[^\s.,;:!?)\]]/.test(text.slice(at + word.length, at + word.length + 1));
  const indexes: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (isAlone(at)) indexes.push(at);
  return indexes;
}

/** Number of equal UTF-16 units at the start of both texts. */
function sharedStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
