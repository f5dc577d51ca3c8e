import type { JsonObject } from '../../../base/json';
import { isObject } from '../../../base/json';
import { truncate } from '../../../base/text';

/**
 * What a page may send. A page shows what agents wrote, so what comes from it is not trusted (security: webview): every message is
 * looked up in one table and checked field by field.
 */

/** Whether a field has the type it must have. */
export type FieldCheck = (value: unknown) => boolean;

/** The fields of each message besides `type`. A type or a field that is missing in a table does not compile. */
export type MessageSchema<M extends { readonly type: string }> = {
  readonly [T in M['type']]: { readonly [K in Exclude<keyof Extract<M, { type: T }>, 'type'>]-?: FieldCheck };
};

export const isString: FieldCheck = (value) => typeof value === 'string';
export const isFilled: FieldCheck = (value) => typeof value === 'string' && value !== '';
export const isStringOrBoolean: FieldCheck = (value) => typeof value === 'string' || typeof value === 'boolean';
export const isBoolean: FieldCheck = (value) => typeof value === 'boolean';
/** A whole number from 0. */
export const isCount: FieldCheck = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

export function isOneOf(...words: readonly string[]): FieldCheck {
  return (value) => typeof value === 'string' && words.includes(value);
}

export function optional(check: FieldCheck): FieldCheck {
  return (value) => value === undefined || check(value);
}

/** The message with only the fields that are known, or a sentence that says what is wrong; never throws. */
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

/** For a sentence: a page may send megabytes of anything as its type. */
function shown(type: unknown): string {
  return typeof type === 'string' ? JSON.stringify(truncate(type, 60)) : `(${typeof type})`;
}

function picked(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]));
}
