import { asArray, asObject, asString, canonicalJson, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Choice } from '../../shared/state/elicitationState';
import type { JsonType } from '../../shared/state/textJson';

/** A property as one schema without references and alternatives. */
export interface FlatSchema {
  /** Titles, limits and the default; the alternatives of a union have no common limits. */
  readonly schema: JsonObject;
  /** Without `null`; empty if any value is valid. */
  readonly types: readonly JsonType[];
  /** The only valid values; empty if only `null` is valid. */
  readonly choices?: readonly Choice[];
  readonly isNullable: boolean;
}

const MAX_DEPTH = 20;
/** Keywords and list items of a form, counted each time that a reference leads to them: a few references can lead to each other endlessly. */
const MAX_KEYWORDS = 100_000;
const TYPES: ReadonlySet<unknown> = new Set<JsonType>(['string', 'number', 'integer', 'boolean', 'object', 'array']);
/** What a schema without a type is about, by a keyword that is for this type only. */
const KEYWORD_TYPES: readonly (readonly [keyword: string, type: JsonType])[] = [
  ['properties', 'object'],
  ['items', 'array'],
  ['format', 'string'],
  ['pattern', 'string'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
];

/** The schema of a form, from which local references start. */
export class SchemaDocument {
  readonly root: JsonObject;
  #remaining = MAX_KEYWORDS;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /** Counts the keywords of a schema. False if there are too many, so that the schema must not be read. */
  count(schema: JsonObject): boolean {
    for (const value of Object.values(schema)) {
      this.#remaining -= 1 + (Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0);
    }
    return --this.#remaining >= 0;
  }
}

/**
 * Flattens a schema as generators (pydantic, zod) write it: `anyOf` with `null`, lists of types, `const`, `$ref` and `allOf`.
 * @returns undefined for what is no schema, is too large, or refers to itself or to another document
 */
export function flattenSchema(value: unknown, document: SchemaDocument, depth = 0): FlatSchema | undefined {
  const schema = resolveSchema(value, document, depth);
  if (!schema) return undefined;
  const { anyOf, oneOf, ...own } = schema;
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0 || own['enum'] !== undefined) return simple(own);
  const flat = alternatives.map((each) => flattenSchema(each, document, depth + 1));
  return flat.every((each) => each !== undefined) ? united(own, flat) : undefined;
}

/** A schema with its `$ref` and `allOf` merged into it. What stands beside them wins. */
export function resolveSchema(value: unknown, document: SchemaDocument, depth = 0): JsonObject | undefined {
  if (value === true) return {};
  if (!isObject(value) || depth > MAX_DEPTH || !document.count(value)) return undefined;
  const { $ref, allOf, ...own } = value;
  const bases = [...($ref === undefined ? [] : [referenced($ref, document.root)]), ...asArray(allOf)];
  const resolved: JsonObject[] = [];
  for (const base of bases) {
    const schema = resolveSchema(base, document, depth + 1);
    if (!schema) return undefined;
    resolved.push(schema);
  }
  return resolved.length === 0 ? own : merged([...resolved, own]);
}

/** What stands in a later schema wins; properties and required names of all schemas are kept. In linear time. */
function merged(schemas: readonly JsonObject[]): JsonObject {
  const properties = schemas.flatMap((schema) => Object.entries(asObject(schema['properties']) ?? {}));
  const required = schemas.flatMap((schema) => asArray(schema['required']));
  return Object.fromEntries([
    ...schemas.flatMap((schema) => Object.entries(schema)),
    ...(properties.length > 0 ? [['properties', Object.fromEntries(properties)] as const] : []),
    ...(required.length > 0 ? [['required', required] as const] : []),
  ]);
}

/** The target of a JSON pointer in the same document (RFC 6901). */
function referenced(ref: unknown, root: JsonObject): unknown {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined;
  const steps = ref.slice(1).split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** A schema without alternatives. */
function simple(schema: JsonObject): FlatSchema {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  const { type } = schema;
  // OpenAPI and Gemini write STRING.
  const named = (Array.isArray(type) ? type : [type]).flatMap((name) => asString(name)?.toLowerCase() ?? []);
  const isOnlyNull = named.length > 0 && named.every((type) => type === 'null');
  const types = named.length > 0 ? named.filter(isJsonType) : inferredTypes(schema);
  const choices = Array.isArray(values) ? choicesOf(values, schema) : isOnlyNull ? [] : undefined;
  const isNullable =
    named.includes('null') || schema['nullable'] === true || (Array.isArray(values) && values.includes(null));
  return { schema, types, isNullable, ...omitUndefined({ choices }) };
}

function isJsonType(type: unknown): type is JsonType {
  return TYPES.has(type);
}

function inferredTypes(schema: JsonObject): readonly JsonType[] {
  const type = KEYWORD_TYPES.find(([keyword]) => Object.hasOwn(schema, keyword))?.[1];
  return type === undefined ? [] : [type];
}

/** Older agents put titles beside `enum` in `enumNames`; the title of a `const` is that of its only value. */
function choicesOf(values: readonly unknown[], schema: JsonObject): readonly Choice[] {
  const names = 'const' in schema || values.length === 1 ? [schema['title']] : asArray(schema['enumNames']);
  const description = 'const' in schema ? asString(schema['description']) : undefined;
  const choices = values.flatMap((value, index): Choice[] => {
    if (value === null) return [];
    const more = omitUndefined({ description });
    // The page shows an empty value as no selection.
    if (typeof value === 'string' && value !== '') return [{ value, label: asString(names[index]) ?? value, ...more }];
    const text = canonicalJson(value);
    return [{ value: text, label: asString(names[index]) ?? text, json: value, ...more }];
  });
  return distinct(choices);
}

/** A schema with alternatives: one with more about it, one list of values, or a union of types. */
function united(own: JsonObject, alternatives: readonly FlatSchema[]): FlatSchema {
  const outer = simple(own);
  const values = alternatives.filter(({ choices }) => choices?.length !== 0);
  const isNullable = outer.isNullable || alternatives.some((each) => each.isNullable);
  const [only] = values;
  if (values.length <= 1) {
    const inner = only ?? { schema: {}, types: [], choices: [] };
    const types = inner.types.length > 0 ? inner.types : outer.types;
    // The title of a constant is that of its choice.
    const schema = 'const' in inner.schema ? own : { ...inner.schema, ...own };
    return { ...inner, schema, types, isNullable };
  }
  const types = Array.from(new Set(values.flatMap((each) => each.types)));
  const isAny = values.some((each) => each.types.length === 0 && !each.choices);
  const choices = values.every((each) => each.choices)
    ? distinct(values.flatMap((each) => each.choices ?? []))
    : undefined;
  return { schema: own, types: isAny ? [] : types, isNullable, ...omitUndefined({ choices }) };
}

/** Without repetitions, and with a key of its own for each: the number 1 and the text "1" are different values. */
function distinct(choices: readonly Choice[]): readonly Choice[] {
  const keys = new Set<string>();
  const known = new Set<string>();
  return choices.flatMap((choice, index) => {
    const json = canonicalJson('json' in choice ? choice.json : choice.value);
    if (known.has(json)) return [];
    known.add(json);
    const value = keys.has(choice.value) ? `${choice.value} (${index + 1})` : choice.value;
    keys.add(value);
    return [
      value === choice.value ? choice : { ...choice, value, json: 'json' in choice ? choice.json : choice.value },
    ];
  });
}
