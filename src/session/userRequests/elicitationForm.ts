import { asArray, asNumber, asObject, asString, isObject, omitUndefined, requireString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { invalidParams } from '../../base/jsonRpc';
import type { Choice, ElicitationQuestion, FormField, TextFormat } from '../../shared/state/elicitationState';
import { t } from '../../base/l10n';

const MAX_FIELDS = 100;
/** In all fields of a form: each is an element of the page. */
const MAX_CHOICES = 5_000;
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
  const properties = asObject(value['properties']);
  if (value['type'] !== 'object' || !properties) {
    throw invalidParams('"requestedSchema" must be of type "object" with "properties"');
  }
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) throw invalidParams(`"requestedSchema" has more than ${MAX_FIELDS} properties`);
  const required = new Set(asArray(value['required']));
  const fields = entries.map(([key, property]) => fieldOf(key, property, required.has(key)));
  const count = fields.reduce((sum, field) => sum + ('choices' in field ? field.choices.length : 0), 0);
  if (count > MAX_CHOICES) throw invalidParams(`"requestedSchema" has more than ${MAX_CHOICES} choices`);
  return {
    mode: 'form',
    fields,
    ...omitUndefined({ title: asString(value['title']), description: asString(value['description']) }),
  };
}

function fieldOf(key: string, value: unknown, isRequired: boolean): FormField {
  const where = `requestedSchema.properties[${JSON.stringify(key)}]`;
  if (!isObject(value)) throw invalidParams(`"${where}" must be an object`);
  const label = asString(value['title'])?.trim() || key;
  const common = {
    key,
    label,
    required: isRequired,
    ...omitUndefined({ description: asString(value['description']) }),
  };
  switch (value['type']) {
    case 'string':
      return { ...common, ...stringField(value) };
    case 'number':
    case 'integer':
      return { ...common, ...numberField(value) };
    case 'boolean': {
      const initial = typeof value['default'] === 'boolean' ? value['default'] : undefined;
      return { ...common, type: 'boolean', ...omitUndefined({ initial }) };
    }
    case 'array':
      return { ...common, ...arrayField(value, where) };
    default:
      throw invalidParams(`"${where}": the type ${JSON.stringify(value['type'])} is not supported`);
  }
}

type FieldBody<T extends FormField['type']> = Omit<
  Extract<FormField, { type: T }>,
  'key' | 'label' | 'description' | 'required'
>;

function stringField(schema: JsonObject): FieldBody<'text'> | FieldBody<'choice'> {
  const initial = asString(schema['default']);
  const choices = choicesOf(schema);
  if (choices) {
    const isOption = choices.some(({ value }) => value === initial);
    return { type: 'choice', choices, ...omitUndefined({ initial: isOption ? initial : undefined }) };
  }
  const format = asString(schema['format']);
  return {
    type: 'text',
    ...omitUndefined({
      initial,
      minLength: asNumber(schema['minLength']),
      maxLength: asNumber(schema['maxLength']),
      pattern: asString(schema['pattern']),
      format: format !== undefined && FORMATS.has(format) ? (format as TextFormat) : undefined,
    }),
  };
}

function numberField(schema: JsonObject): FieldBody<'number'> {
  const limits = { minimum: asNumber(schema['minimum']), maximum: asNumber(schema['maximum']) };
  return {
    type: 'number',
    whole: schema['type'] === 'integer',
    ...omitUndefined({ ...limits, initial: asNumber(schema['default']) }),
  };
}

function arrayField(schema: JsonObject, where: string): FieldBody<'choices'> {
  const items = asObject(schema['items']);
  const choices = items && choicesOf(items);
  if (!choices) throw invalidParams(`"${where}": a list must name its choices in "items"`);
  const initial = asArray(schema['default']).filter((item) => choices.some(({ value }) => value === item)) as string[];
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

/** `enum` (older agents put titles beside it in `enumNames`), or `oneOf` / `anyOf` with titles. */
function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  if (Array.isArray(schema['enum'])) {
    const names = asArray(schema['enumNames']);
    const values = schema['enum'].filter((item) => typeof item === 'string');
    return values.map((value, index) => ({ value, label: asString(names[index]) ?? value }));
  }
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(titled)) return undefined;
  return titled.filter(isObject).flatMap((item) => {
    const value = asString(item['const']);
    if (value === undefined) return [];
    const description = asString(item['description']);
    return [{ value, label: asString(item['title']) ?? value, ...omitUndefined({ description }) }];
  });
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
