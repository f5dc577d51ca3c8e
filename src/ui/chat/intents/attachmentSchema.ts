import type { JsonObject } from '../../../base/json';
import { isObject } from '../../../base/json';
import type { Attachment, AttachmentKind } from '../../../shared/protocol/attachments';
import { MAX_ATTACHMENTS } from '../../../shared/protocol/attachments';
import type { FieldCheck } from './messageSchema';
import { isFilled, isString } from './messageSchema';

/** The fields of each kind besides `kind`. The compiler checks that none is missing. */
const FIELDS: {
  readonly [K in AttachmentKind]: {
    readonly [F in Exclude<keyof Extract<Attachment, { kind: K }>, 'kind'>]-?: FieldCheck;
  };
} = {
  file: { uri: isFilled, label: isString },
  folder: { uri: isFilled, label: isString },
  active: { uri: isFilled, label: isString },
  lines: { uri: isFilled, label: isString, lines: isLines },
  problems: { label: isString },
  changes: { label: isString },
  session: { id: isFilled, label: isString },
  text: { label: isString, text: isString },
  data: { label: isString, mimeType: isFilled, data: isBase64 },
};

/** Validates attachments and their maximum number. */
export const isAttachments: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= MAX_ATTACHMENTS && value.every((one) => isObject(one) && isAttachment(one));

/** A list of strings, limited to the number of attachments. */
export const isStrings: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= MAX_ATTACHMENTS && value.every((one) => typeof one === 'string');

function isAttachment(value: JsonObject): boolean {
  const { kind } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) return false;
  return Object.entries<FieldCheck>(FIELDS[kind as AttachmentKind]).every(([field, check]) => check(value[field]));
}

function isLines(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { first, last } = value;
  return (
    Number.isSafeInteger(first) && Number.isSafeInteger(last) && Number(first) >= 1 && Number(last) >= Number(first)
  );
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
