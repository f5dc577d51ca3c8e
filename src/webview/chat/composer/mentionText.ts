import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Attachment } from '../../../shared/protocol/attachments';

/** An `@` and the text up to the caret. */
export interface MentionAt {
  /** Index of the `@`. */
  readonly start: number;
  readonly query: string;
}

/** The mention at the caret; undefined elsewhere, and in an email address. */
export function mentionAt(text: string, caret: number): MentionAt | undefined {
  if (caret < 0) return undefined;
  const query = /(?<![^\s([{"'`])@([^\s@]{0,200})$/.exec(text.slice(Math.max(0, caret - 210), caret))?.[1];
  return query === undefined ? undefined : { start: caret - query.length - 1, query };
}

/** The text for an attachment; empty when its name is not suitable. */
export function mentionWord(attachment: Attachment): string {
  const name = attachment.label.slice(attachment.label.lastIndexOf('/') + 1);
  const isPlain = name !== '' && !/\s/.test(name) && escapeInvisibleInline(name) === name;
  return isPlain ? `@${name}` : '';
}

/** The attachments whose mention the user has not just deleted from the text. */
export function mentionedStill(attached: readonly Attachment[], before: string, after: string): readonly Attachment[] {
  const isIn = (text: string, word: string): boolean => removeMention(text, word) !== text;
  const left = attached.filter((one) => {
    const word = mentionWord(one);
    return !isIn(before, word) || isIn(after, word);
  });
  return left.length === attached.length ? attached : left;
}

export function removeMention(text: string, word: string): string {
  if (word === '') return text;
  const at = text.indexOf(word);
  if (at < 0) return text;
  const end = at + word.length;
  if (/^[^\s.,;:!?)\]]/.test(text.slice(end)) || /\S$/.test(text.slice(0, at))) return text;
  return text.slice(0, at) + text.slice(text[end] === ' ' ? end + 1 : end);
}
