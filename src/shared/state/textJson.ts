import { isObject, parseJson } from '../../base/json';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

/** The values that a text may stand for; any with an empty list. */
export interface TextJson {
  readonly types: readonly JsonType[];
  /** Of the items of a list, which may also be typed with commas between them. */
  readonly items?: readonly JsonType[];
}

/** @returns undefined if the text stands for no value of these types */
export function readTextJson(text: string, { types, items }: TextJson): { readonly value: unknown } | undefined {
  const value = parseJson(text);
  const isValid = value !== undefined && hasType(value, types);
  if (isValid && Array.isArray(value) && items) {
    if (value.every((item) => hasType(item, items))) return { value };
  } else if (isValid && typeof value !== 'string') return { value };
  if (types.length === 0 || types.includes('string')) return { value: text };
  return items && !text.trimStart().startsWith('[') ? readList(text, items) : undefined;
}

function readList(text: string, types: readonly JsonType[]): { readonly value: unknown } | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const values = parts.filter((part) => part !== '').map((part) => readTextJson(part, { types }));
  return values.every((each) => each !== undefined) ? { value: values.map((each) => each.value) } : undefined;
}

function hasType(value: unknown, types: readonly JsonType[]): boolean {
  return types.length === 0 || types.some((type) => isOfType(value, type));
}

function isOfType(value: unknown, type: JsonType): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}
