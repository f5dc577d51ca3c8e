import { ParleyError } from '../../base/errors';
import { asArray, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { describeValue } from '../../base/settings';
import { isValidTimestamp } from '../../base/timestamps';

/**
 * Parses one value of an untrusted file.
 * @throws ParleyError that names the path: `entries[3].title`
 */
export type Schema<T> = (value: unknown, path: string) => T;

/** A schema per field. The compiler checks that none is missing; unknown fields are dropped. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> };

/** Maximum nesting depth. */
const DEEPEST = 200;

export function schemaError(path: string, expected: string, value: unknown): ParleyError {
  const message = t('{0}: expected {1}, got {2}.', path === '' ? t('The file') : path, expected, describeValue(value));
  return new ParleyError('badInput', message, {
    nextStep: t('Choose a .json file that “Parley: Export Session” has written.'),
  });
}

export const string: Schema<string> = (value, path) => {
  if (typeof value === 'string') return value;
  throw schemaError(path, t('a text'), value);
};

export const boolean: Schema<boolean> = (value, path) => {
  if (typeof value === 'boolean') return value;
  throw schemaError(path, t('true or false'), value);
};

export const number: Schema<number> = (value, path) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw schemaError(path, t('a number'), value);
};

/** Milliseconds since 1970, within the range of valid dates. */
export const time: Schema<number> = (value, path) => {
  if (isValidTimestamp(value)) return value;
  throw schemaError(path, t('a time in milliseconds since 1970'), value);
};

/** An integer of at least 0. */
export const count: Schema<number> = (value, path) => {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw schemaError(path, t('a whole number from 0'), value);
};

/** An object key that is not a name of `Object.prototype`. */
export const id: Schema<string> = (value, path) => {
  if (typeof value === 'string' && value !== '' && !(value in {})) return value;
  throw schemaError(path, t('an id'), value);
};

/** Any JSON up to the maximum depth. */
export const json: Schema<unknown> = (value, path) => {
  if (depth(value) > DEEPEST) throw schemaError(path, t('a value that is not nested so deep'), t('one that is'));
  return value;
};

function depth(value: unknown): number {
  let level: unknown[] = [value];
  let deep = 0;
  for (; level.length > 0 && deep <= DEEPEST; deep++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return deep;
}

/** An optional field, which `object` omits if undefined. */
export function optional<T>(shape: Schema<T>): Schema<T> {
  return (value, path) => (value === undefined ? (undefined as T) : shape(value, path));
}

export function enumOf<const T extends string>(...words: readonly T[]): Schema<T> {
  return (value, path) => {
    const found = words.find((one) => one === value);
    if (found === undefined) throw schemaError(path, words.map((one) => JSON.stringify(one)).join(', '), value);
    return found;
  };
}

export function list<T>(shape: Schema<T>): Schema<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw schemaError(path, t('a list'), value);
    return asArray(value).map((one, at) => shape(one, `${path}[${at}]`));
  };
}

export const pair: Schema<readonly [number, number]> = (value, path) => {
  const [first, second, ...more] = list(number)(value, path);
  if (first === undefined || second === undefined || more.length > 0) throw schemaError(path, t('two numbers'), value);
  return [first, second];
};

export function object<T extends object>(fields: Fields<T>): Schema<T> {
  return (value, path) => {
    if (!isObject(value)) throw schemaError(path, t('an object'), value);
    const read = Object.entries<Schema<unknown>>(fields).map(([name, shape]) => {
      return [name, shape(Object.hasOwn(value, name) ? value[name] : undefined, within(path, name))] as const;
    });
    return Object.fromEntries(read.filter(([, field]) => field !== undefined)) as T;
  };
}

export function record<T>(shape: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) throw schemaError(path, t('an object'), value);
    const read = Object.entries(value).map(([name, one]) => [id(name, path), shape(one, within(path, name))] as const);
    return Object.fromEntries(read);
  };
}

/**
 * A discriminated union.
 * @param other parses kinds that this version does not know
 */
export function union<T>(field: string, shapes: Readonly<Record<string, Schema<T>>>, other?: Schema<T>): Schema<T> {
  return (value, path) => {
    if (!isObject(value)) throw schemaError(path, t('an object'), value);
    const kind = value[field];
    if (typeof kind === 'string' && Object.hasOwn(shapes, kind)) return (shapes[kind] as Schema<T>)(value, path);
    if (typeof kind === 'string' && other) return other(value, path);
    throw schemaError(
      within(path, field),
      Object.keys(shapes)
        .map((one) => JSON.stringify(one))
        .join(', '),
      kind,
    );
  };
}

function within(path: string, name: string): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return path === '' ? key : `${path}.${key}`;
}
