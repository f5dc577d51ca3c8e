import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Schema } from '../../base/schema';
import { list, SchemaError, fieldPath } from '../../base/schema';
import { isValidTimestamp } from '../../base/timestamps';

/** Schemas that session files need besides those of `base`. */

/** Maximum nesting depth. */
const MAX_JSON_DEPTH = 200;

export const number: Schema<number> = (value, path) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new SchemaError(path, t('a number'), value);
};

/** Milliseconds since 1970, within the range of valid dates. */
export const time: Schema<number> = (value, path) => {
  if (isValidTimestamp(value)) return value;
  throw new SchemaError(path, t('a timestamp in milliseconds since 1970'), value);
};

/** An object key that is not a name of `Object.prototype`. */
export const id: Schema<string> = (value, path) => {
  if (typeof value === 'string' && value !== '' && !(value in {})) return value;
  throw new SchemaError(path, t('an ID'), value);
};

/** Any JSON up to the maximum depth. */
export const json: Schema<unknown> = (value, path) => {
  if (depthOf(value) > MAX_JSON_DEPTH)
    throw new SchemaError(path, t('a less deeply nested value'), t('a deeply nested value'));
  return value;
};

function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let deep = 0;
  for (; level.length > 0 && deep <= MAX_JSON_DEPTH; deep++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return deep;
}

export const pair: Schema<readonly [number, number]> = (value, path) => {
  const [first, second, ...more] = list(number)(value, path);
  if (first === undefined || second === undefined || more.length > 0)
    throw new SchemaError(path, t('two numbers'), value);
  return [first, second];
};

export function record<T>(schema: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, t('an object'), value);
    const read = Object.entries(value).map(
      ([name, one]) => [id(name, path), schema(one, fieldPath(path, name))] as const,
    );
    return Object.fromEntries(read);
  };
}
