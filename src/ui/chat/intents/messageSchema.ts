import type { JsonObject } from '../../../base/json';
import { isObject } from '../../../base/json';
import { truncate } from '../../../base/text';

/**
 * Validates messages of a page. A page shows agents' texts, so its messages are not trusted (docs/security.md, row 14): every message is
 * checked field by field against a table.
 */

export type FieldCheck = (value: unknown) => boolean;

/** The fields of each message besides `type`. The compiler checks that none is missing. */
export type MessageSchema<M extends { readonly type: string }> = {
  readonly [T in M['type']]: { readonly [K in Exclude<keyof Extract<M, { type: T }>, 'type'>]-?: FieldCheck };
};

export const isString: FieldCheck = (value) => typeof value === 'string';
export const isFilled: FieldCheck = (value) => typeof value === 'string' && value !== '';
export const isStringOrBoolean: FieldCheck = (value) => typeof value === 'string' || typeof value === 'boolean';
export const isBoolean: FieldCheck = (value) => typeof value === 'boolean';
/** An integer of at least 0. */
export const isCount: FieldCheck = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

export function isOneOf(...words: readonly string[]): FieldCheck {
  return (value) => typeof value === 'string' && words.includes(value);
}

export function optional(check: FieldCheck): FieldCheck {
  return (value) => value === undefined || check(value);
}

/** The message reduced to known fields, or a sentence that says what is wrong; never throws. */
export function parseWithSchema<M extends { readonly type: string }>(
  table: MessageSchema<M>,
  value: unknown,
): { readonly message: M } | { readonly problem: string } {
  if (!isObject(value)) return { problem: 'a message that is not an object' };
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(table, type)) return { problem: `unknown type ${shown(type)}` };
  const checks: Readonly<Record<string, FieldCheck>> = table[type as M['type']];
  const wrong = Object.entries(checks).find(([field, check]) => !check(value[field]));
  if (wrong) return { problem: `"${type}" with a wrong field "${wrong[0]}"` };
  return { message: picked(value, ['type', ...Object.keys(checks)]) as unknown as M };
}

/** Truncated: a page may send megabytes as its type. */
function shown(type: unknown): string {
  return typeof type === 'string' ? JSON.stringify(truncate(type, 60)) : `(${typeof type})`;
}

function picked(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]));
}
