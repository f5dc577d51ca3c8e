import {
  asArray,
  asNumber,
  asObject,
  asString,
  canonicalJson,
  isObject,
  omitUndefined,
  requireString,
} from '../../base/json';
import type { JsonObject } from '../../base/json';
import { invalidParams } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import type { Choice, ElicitationQuestion, FormField, TextFormat } from '../../shared/state/elicitationState';
import { choiceJson } from '../../shared/state/fieldJson';
import { SchemaDocument, flattenSchema } from './formSchema';
import type { FlatSchema } from './formSchema';
import { asksForSecret } from './secretField';

const MAX_FIELDS = 100;
/** In all fields of a form: each is an element of the page. */
const MAX_CHOICES = 5_000;
/** UTF-16 units. */
const MAX_SHOWN_SCHEMA = 300;
const FORMATS: ReadonlySet<string> = new Set<TextFormat>(['email', 'uri', 'date', 'date-time']);

/**
 * Parses `elicitation/create`, whose forms are the same in ACP and MCP.
 * @throws RpcError -32602 that names the field, or the unsupported mode or type
 */
export function parseElicitationForm(params: JsonObject): ElicitationQuestion {
  const { mode } = params;
  if (mode === 'form' || mode === undefined) return formOf(params['requestedSchema']);
  if (mode === 'url') return urlQuestion(requireString(params, 'url'));
  throw invalidParams(`"mode" ${JSON.stringify(mode)} is not supported; this client offers "form" and "url"`);
}

function urlQuestion(text: string): ElicitationQuestion {
  const question = parseElicitationUrl(text);
  if ('problem' in question) throw invalidParams(`"url" ${question.problem}`);
  return question;
}

function formOf(value: unknown): ElicitationQuestion {
  if (!isObject(value)) throw invalidParams('"requestedSchema" must be an object');
  const document = new SchemaDocument(value);
  const root = flattenSchema(value, document);
  if (!root || root.choices || (root.types.length > 0 && !root.types.includes('object'))) {
    throw invalidParams('"requestedSchema" must be of type "object"');
  }
  const form = root.schema;
  const properties = asObject(form['properties']) ?? {};
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) throw invalidParams(`"requestedSchema" has more than ${MAX_FIELDS} properties`);
  const required = new Set(asArray(form['required']));
  const fields = entries.map(([key, property]) => fieldOf(key, property, required.has(key), document));
  const count = fields.reduce((sum, field) => sum + ('choices' in field ? field.choices.length : 0), 0);
  if (count > MAX_CHOICES) throw invalidParams(`"requestedSchema" has more than ${MAX_CHOICES} choices`);
  return {
    mode: 'form',
    fields,
    ...omitUndefined({ title: asString(form['title']), description: asString(form['description']) }),
  };
}

type FieldBody<T extends FormField['type']> = Omit<
  Extract<FormField, { type: T }>,
  'key' | 'label' | 'description' | 'required' | 'nullWhenEmpty'
>;

type AnyFieldBody = { [T in FormField['type']]: FieldBody<T> }[FormField['type']];

function fieldOf(key: string, property: unknown, isRequired: boolean, document: SchemaDocument): FormField {
  const flat = flattenSchema(property, document) ?? { schema: asObject(property) ?? {}, types: [], isNullable: false };
  const { schema, isNullable } = flat;
  const body = shownField(flat, document);
  const common = {
    key,
    label: asString(schema['title'])?.trim() || key,
    required: isRequired && !isNullable,
    // Left out, a property has its default.
    ...(isNullable && (isRequired || (schema['default'] ?? null) !== null) && { nullWhenEmpty: true as const }),
  };
  const description = asString(schema['description']);
  const secret = asksForSecret(key, property, document) && { isSecret: true };
  if (body) {
    const isTyped = body.type === 'text' || body.type === 'number';
    return { ...common, ...omitUndefined({ description }), ...body, ...(isTyped && secret) };
  }
  const named = t('JSON Schema: {0}', truncate(JSON.stringify(property), MAX_SHOWN_SCHEMA));
  const shown = description ? `${description}\n${named}` : named;
  return { ...common, description: shown, ...jsonField(flat, document), ...secret };
}

/** Undefined for a property that no field shows as what it is. */
function shownField(flat: FlatSchema, document: SchemaDocument): AnyFieldBody | undefined {
  const { schema, types, choices, isNullable } = flat;
  if (choices) return choiceField(schema, choices);
  const [type] = types;
  if (types.length > 0 && types.every((each) => each === 'integer' || each === 'number'))
    return numberField(
      schema,
      types.every((each) => each === 'integer'),
    );
  if (types.length !== 1) return undefined;
  if (type === 'string') return textField(schema);
  if (type === 'boolean') {
    const initial = typeof schema['default'] === 'boolean' ? schema['default'] : undefined;
    return { type: 'boolean', ...(isNullable && { isUnset: true as const }), ...omitUndefined({ initial }) };
  }
  const items = type === 'array' ? flattenSchema(schema['items'], document) : undefined;
  return items?.choices && choicesField(schema, items.choices);
}

function choiceField(schema: JsonObject, choices: readonly Choice[]): FieldBody<'choice'> {
  if (choices.length === 0) return { type: 'choice', choices: [NULL_CHOICE], initial: NULL_CHOICE.value };
  const isConst = 'const' in schema;
  const initial = isConst ? choices[0]?.value : valuesIn(choices, [schema['default']])[0];
  return { type: 'choice', choices, ...omitUndefined({ initial }) };
}

const NULL_CHOICE: Choice = { value: String(null), label: String(null), json: null };

function choicesField(schema: JsonObject, choices: readonly Choice[]): FieldBody<'choices'> {
  const initial = valuesIn(choices, asArray(schema['default']));
  return {
    type: 'choices',
    choices,
    ...omitUndefined({
      minItems: asNumber(schema['minItems']),
      maxItems: asNumber(schema['maxItems']),
      initial: initial.length > 0 ? initial : undefined,
    }),
  };
}

/** The page's values of those JSON values that are choices. */
function valuesIn(choices: readonly Choice[], values: readonly unknown[]): string[] {
  const byJson = new Map(choices.map((choice) => [canonicalJson(choiceJson(choice)), choice.value]));
  return values.flatMap((each) => byJson.get(canonicalJson(each)) ?? []);
}

function textField(schema: JsonObject): FieldBody<'text'> {
  const format = asString(schema['format']);
  return {
    type: 'text',
    ...omitUndefined({
      initial: asString(schema['default']),
      minLength: asNumber(schema['minLength']),
      maxLength: asNumber(schema['maxLength']),
      pattern: asString(schema['pattern']),
      format: format !== undefined && FORMATS.has(format) ? (format as TextFormat) : undefined,
    }),
  };
}

function numberField(schema: JsonObject, whole: boolean): FieldBody<'number'> {
  return {
    type: 'number',
    whole,
    ...omitUndefined({
      minimum: asNumber(schema['minimum']),
      maximum: asNumber(schema['maximum']),
      above: exclusiveLimit(schema, 'exclusiveMinimum', 'minimum'),
      below: exclusiveLimit(schema, 'exclusiveMaximum', 'maximum'),
      initial: asNumber(schema['default']),
    }),
  };
}

/** A number, or `true` for the other limit (JSON Schema draft 4, OpenAPI 3.0). */
function exclusiveLimit(schema: JsonObject, name: string, limit: string): number | undefined {
  return asNumber(schema[name] === true ? schema[limit] : schema[name]);
}

/** A text box for JSON. */
function jsonField({ schema, types }: FlatSchema, document: SchemaDocument): FieldBody<'text'> {
  const items = types.includes('array') ? flattenSchema(schema['items'], document)?.types : undefined;
  const initial = schema['default'] ?? undefined;
  return {
    type: 'text',
    json: { types, ...(items && items.length > 0 && { items }) },
    ...(initial !== undefined && { initial: typeof initial === 'string' ? initial : JSON.stringify(initial) }),
  };
}

type UrlQuestion = Extract<ElicitationQuestion, { readonly mode: 'url' }>;

/**
 * Validates a URL that an agent or server wants the user to open: https only, without user name or password. Otherwise returns the
 * problem.
 */
export function parseElicitationUrl(text: string): UrlQuestion | { readonly problem: string } {
  if (!URL.canParse(text)) return { problem: 'is not an address' };
  const url = new URL(text);
  if (url.protocol !== 'https:') return { problem: 'must be an https address' };
  if (url.username !== '' || url.password !== '') return { problem: 'must not hold a user name or password' };
  const question = { mode: 'url', url: url.href, host: url.host } as const;
  if (!url.hostname.split('.').some((label) => label.startsWith('xn--'))) return question;
  const warning = t('This host name contains non-ASCII characters and may imitate another host name.');
  return { ...question, warning };
}
