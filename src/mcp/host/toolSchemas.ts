import { createContext, Script } from 'node:vm';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { ZodObject, ZodType } from 'zod';
import type { JsonObject } from '../../base/json';
import { asObject } from '../../base/json';
import type { SchemaSource, Tool, Zod } from '../contract/toolServerTypes';
import { canWaitForApproval } from '../contract/toolServerTypes';
import type { Mcp } from './sessionServer';

interface Schemas {
  readonly input: StandardSchemaWithJSON;
  readonly output?: StandardSchemaWithJSON;
}

const cache = new WeakMap<Tool, Schemas>();

/** The SDK schemas of a tool, created once: thirty cost 1.8 ms. */
export function schemasOf(library: Mcp, tool: Tool): Schemas {
  const cached = cache.get(tool);
  if (cached) return cached;
  const { input, output } = canWaitForApproval(tool) ? withWaiting(tool) : tool;
  const schemas = {
    input: toSchema(library, input),
    ...(output && { output: toSchema(library, output) }),
  };
  cache.set(tool, schemas);
  return schemas;
}

export function toSchema(library: Mcp, source: SchemaSource): StandardSchemaWithJSON {
  return typeof source === 'function' ? source(library.z) : fromUntrusted(library, source);
}

/** Milliseconds to check one value against a JSON Schema. */
const CHECK_LIMIT_MS = 250;
/** Keywords whose check can take exponential or quadratic time. */
const SLOW = /"(?:pattern|patternProperties|uniqueItems|format|\$(?:dynamic|recursive)?[rR]ef)"/;

/**
 * A JSON Schema of another server. Its regular expressions could block the extension host: a schema whose check exceeds the limit is
 * not checked any more, because the server checks its arguments itself. The shared validator remembers schemas by `$id`, so that a
 * schema with one would replace the equally named schema of another server.
 */
function fromUntrusted({ fromJsonSchema, JsonSchemaValidator }: Mcp, source: JsonObject): StandardSchemaWithJSON {
  const text = JSON.stringify(source);
  const schema = text.includes('"$id"') ? fromJsonSchema(source, new JsonSchemaValidator()) : fromJsonSchema(source);
  if (!SLOW.test(text)) return schema;
  const own = schema['~standard'];
  let isTooSlow = false;
  const validate: typeof own.validate = (value) => {
    if (isTooSlow) return { value };
    try {
      return withinLimit(() => own.validate(value));
    } catch {
      isTooSlow = true;
      return { value };
    }
  };
  return { '~standard': { ...own, validate } };
}

const run = new Script('run()');

/** @throws when the synchronous work takes longer than {@link CHECK_LIMIT_MS} */
function withinLimit<T>(work: () => T): T {
  return run.runInContext(createContext({ run: work }), { timeout: CHECK_LIMIT_MS }) as T;
}

/** A call that may wait for the user can return a status and a handle, and accepts the handle. */
function withWaiting({ input, output }: Tool): { readonly input: SchemaSource; readonly output?: SchemaSource } {
  const answer = output && withStatus(output);
  return { input: withHandle(input), ...(answer && { output: answer }) };
}

const HANDLE = 'The handle of an answer awaiting_approval: waits on for that call';

/** A third-party tool may have its own argument of that name; repeating the same arguments then continues the wait. */
function withHandle(input: SchemaSource): SchemaSource {
  if (typeof input === 'function')
    return (z) => objectOf(input(z)).extend({ handle: z.string().optional().describe(HANDLE) });
  const properties = asObject(input['properties']) ?? {};
  if ('handle' in properties) return input;
  return { ...input, properties: { ...properties, handle: { type: 'string', description: HANDLE } } };
}

const WAITING = {
  type: 'object',
  properties: { status: { const: 'awaiting_approval' }, handle: { type: 'string' } },
  required: ['status', 'handle'],
};

/** Undefined for a schema with internal references, whose paths would change. Data is allowed without a schema. */
function withStatus(output: SchemaSource): SchemaSource | undefined {
  if (typeof output === 'function')
    return (z: Zod) => {
      const own = objectOf(output(z));
      const waiting = z.literal('awaiting_approval');
      // A tool may have its own status.
      const { status } = own.shape as { readonly status?: ZodType };
      const either = status ? z.union([status, waiting]) : waiting;
      return own.partial().extend({ status: either.optional(), handle: z.string().optional() });
    };
  if (/"\$(?:ref|id|anchor|dynamicRef)"/.test(JSON.stringify(output))) return undefined;
  const { $schema, ...own } = output;
  return { ...($schema !== undefined && { $schema }), type: 'object', anyOf: [own, WAITING] };
}

function objectOf(schema: ZodType): ZodObject {
  if (schema.type !== 'object') throw new Error('The input and output of a tool are objects');
  return schema as ZodObject;
}
