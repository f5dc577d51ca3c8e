import { asArray, isObject } from './json';
import { t } from './l10n';
import { truncate } from './text';

/**
 * Parses a value that others wrote: a file, a page message, a setting. Objects lose unknown fields.
 * @throws SchemaError that names the path: `entries[3].title`
 */
export type Schema<T> = (value: unknown, path: string) => T;

/** A schema per field. The compiler checks that none is missing. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> };

/** A value that does not match. */
export class SchemaError extends Error {
  /** Path inside the parsed value; empty for the value itself. */
  readonly path: string;
  /** Text that describes the expected value. */
  readonly expected: string;
  /** Text from {@link describeValue}. */
  readonly found: string;

  /** @param value without it, `expected` is the whole message */
  constructor(path: string, expected: string, ...value: readonly [] | readonly [value: unknown]) {
    const found = describeValue(value[0]);
    super(value.length === 0 ? expected : t('expected {0}, got {1}', expected, found));
    this.path = path;
    this.expected = expected;
    this.found = found;
  }
}

/** The found value in words, for a sentence: `a number (5)`, `a list`, `null`. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return t('a list');
  if (isObject(value)) return t('an object');
  return t('the {0} {1}', typeof value, truncate(JSON.stringify(value) ?? '', 100));
}

/** The error is returned, not thrown. */
export function tryParse<T>(
  schema: Schema<T>,
  value: unknown,
): { readonly value: T } | { readonly error: SchemaError } {
  try {
    return { value: schema(value, '') };
  } catch (error) {
    if (error instanceof SchemaError) return { error };
    throw error;
  }
}

export const string: Schema<string> = (value, path) => {
  if (typeof value === 'string') return value;
  throw new SchemaError(path, t('a string'), value);
};

export const boolean: Schema<boolean> = (value, path) => {
  if (typeof value === 'boolean') return value;
  throw new SchemaError(path, t('true or false'), value);
};

export function integer(min: number, max: number): Schema<number> {
  return (value, path) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new SchemaError(path, t('an integer from {0} to {1}', min, max), value);
  };
}

/** An integer of at least 0. */
export const count: Schema<number> = (value, path) => {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new SchemaError(path, t('an integer of at least 0'), value);
};

/** An optional field, which `object` omits if undefined. */
export function optional<T>(schema: Schema<T>): Schema<T> {
  return (value, path) => (value === undefined ? (undefined as T) : schema(value, path));
}

export const stringOrBoolean: Schema<string | boolean> = (value, path) => {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  throw new SchemaError(path, t('a string, true or false'), value);
};

export function enumOf<const T extends string>(...values: readonly T[]): Schema<T> {
  return (value, path) => {
    const found = values.find((one) => one === value);
    if (found === undefined) throw new SchemaError(path, quote(values), value);
    return found;
  };
}

/** @param max number of items */
export function list<T>(schema: Schema<T>, max = Number.POSITIVE_INFINITY): Schema<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new SchemaError(path, t('a list'), value);
    if (value.length > max) throw new SchemaError(path, t('at most {0} items', max), value.length);
    return asArray(value).map((one, at) => schema(one, `${path}[${at}]`));
  };
}

export function object<T extends object>(fields: Fields<T>): Schema<T> {
  return (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, t('an object'), value);
    const read = Object.entries<Schema<unknown>>(fields).map(([name, schema]) => {
      return [name, schema(Object.hasOwn(value, name) ? value[name] : undefined, fieldPath(path, name))] as const;
    });
    return Object.fromEntries(read.filter(([, field]) => field !== undefined)) as T;
  };
}

/** As {@link object}, but an unknown field is an error. */
export function exactObject<T extends object>(fields: Fields<T>): Schema<T> {
  return (value, path) => {
    const unknown = isObject(value) ? Object.keys(value).find((name) => !Object.hasOwn(fields, name)) : undefined;
    if (unknown === undefined) return object(fields)(value, path);
    throw new SchemaError(
      fieldPath(path, unknown),
      t('one of the fields {0}', Object.keys(fields).join(', ')),
      unknown,
    );
  };
}

/**
 * An object whose fields have any names, and values of one kind.
 * @param max number of fields
 */
export function recordOf<T>(schema: Schema<T>, max = Number.POSITIVE_INFINITY): Schema<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, t('an object'), value);
    const entries = Object.entries(value);
    if (entries.length > max) throw new SchemaError(path, t('at most {0} items', max), entries.length);
    return Object.fromEntries(entries.map(([name, one]) => [name, schema(one, fieldPath(path, name))] as const));
  };
}

/**
 * A discriminated union.
 * @param other parses kinds that this version does not know
 */
export function union<T>(field: string, schemas: Readonly<Record<string, Schema<T>>>, other?: Schema<T>): Schema<T> {
  return (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, t('an object'), value);
    const kind = value[field];
    if (typeof kind === 'string' && Object.hasOwn(schemas, kind)) return (schemas[kind] as Schema<T>)(value, path);
    if (typeof kind === 'string' && other) return other(value, path);
    throw new SchemaError(fieldPath(path, field), quote(Object.keys(schemas)), kind);
  };
}

/** The path of a field. */
export function fieldPath(path: string, name: string): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return path === '' ? key : `${path}.${key}`;
}

function quote(words: readonly string[]): string {
  return words.map((one) => JSON.stringify(one)).join(', ');
}
