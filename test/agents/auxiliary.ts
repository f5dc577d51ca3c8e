/** Answers auxiliary model requests (titles, summaries, routers) with placeholder values that match the requested schema. */

const SIDE_TEXT = 'Scripted title';
const MAX_DEPTH = 8;

type Schema = Readonly<Record<string, unknown>>;

/** Returns plain text if no schema was requested, else the JSON of the smallest valid value. */
export function auxiliaryAnswer(schema: unknown): string {
  return schema === undefined ? SIDE_TEXT : JSON.stringify(minimalValue(schema));
}

/** Returns the smallest valid value for a JSON schema. Supports the subset that agents use (no $ref, no pattern). */
export function minimalValue(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[])[0];
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return minimalValue((alternatives as unknown[])[0], depth + 1);
  const type: unknown = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type'];
  switch (type) {
    case 'string':
      return SIDE_TEXT;
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'boolean':
      return false;
    case 'array':
      return minimalArray(schema, depth);
    case 'object':
      return minimalObject(schema, depth);
    default:
      return isObject(schema['properties']) ? minimalObject(schema, depth) : null;
  }
}

function minimalArray(schema: Schema, depth: number): unknown[] {
  const length = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
  return Array.from({ length }, () => minimalValue(schema['items'], depth + 1));
}

function minimalObject(schema: Schema, depth: number): Record<string, unknown> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.fromEntries(required.map((key) => [String(key), minimalValue(properties[String(key)], depth + 1)]));
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
