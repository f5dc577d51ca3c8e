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

/** Undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entries sorted by key, so that equal records have equal lists. */
export function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** JSON with sorted keys: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  const sorted = (_key: string, field: unknown): unknown =>
    isObject(field) ? Object.fromEntries(sortedEntries(field)) : field;
  return JSON.stringify(value, sorted) ?? 'null';
}

/** Values and levels up to which an agent's input is read: more would block the extension host for seconds. */
export const MAX_INPUT = { values: 5_000, levels: 500 } as const;

/** Whether a value has more values, or is nested deeper, than {@link MAX_INPUT}. Stops as soon as that is known. */
export function isTooLarge(value: unknown): boolean {
  let count = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const key in item) {
        if (++count > MAX_INPUT.values) return true;
        next.push((item as JsonObject)[key]);
      }
    }
    if (next.length > 0 && depth >= MAX_INPUT.levels) return true;
    level = next;
  }
  return false;
}

/** null removes a field, undefined leaves it unchanged. */
export function patchFields<E extends object>(
  entry: E,
  fields: { readonly [K in keyof E]?: E[K] | null | undefined },
): E {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(entry));
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = value;
  }
  return merged as E;
}

/** @throws RpcError -32602 that names the field */
export function requireString(params: JsonObject, field: string): string {
  const value = params[field];
  if (typeof value !== 'string') throw invalidParams(`"${field}" must be a string`);
  return value;
}

/** @throws RpcError -32602 when `params` is not an object */
export function requireObject(params: unknown): JsonObject {
  if (!isObject(params)) throw invalidParams('params must be an object');
  return params;
}
