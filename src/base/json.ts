import { invalidParams } from './jsonRpc';

/** Getters for untrusted JSON: each returns the requested type or undefined. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Drops undefined fields, for optional properties under `exactOptionalPropertyTypes`. */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** @throws RpcError -32602 that names the field */
export function requireString(params: JsonObject, field: string): string {
  const value = params[field];
  if (typeof value !== 'string') throw invalidParams(`"${field}" must be a string`);
  return value;
}

/** @throws RpcError -32602 when `params` is no object */
export function requireObject(params: unknown): JsonObject {
  if (!isObject(params)) throw invalidParams('params must be an object');
  return params;
}
