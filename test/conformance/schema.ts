import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { asObject } from '../../src/base/json';

interface Definition {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly 'x-method'?: string;
  readonly 'x-side'?: string;
}

interface Schema {
  readonly $defs: Readonly<Record<string, Definition>>;
}

/** Old methods of the specification that some agents still use; no schema contains them. */
const REMOVED: ReadonlySet<string> = new Set(['session/set_model']);

const parsers = new Map<string, z.ZodType>();
let definitions: Readonly<Record<string, Definition>> | undefined;

/** The JSON schema published with the SDK, unstable parts included. */
function schema(): Readonly<Record<string, Definition>> {
  if (definitions) return definitions;
  for (let folder = __dirname; ; folder = join(folder, '..')) {
    const path = join(folder, 'node_modules/@agentclientprotocol/sdk/schema/v1/schema.unstable.json');
    try {
      const text = readFileSync(path, 'utf8');
      // zod has no "not"; here it only keeps the members of open unions apart.
      const read = JSON.parse(text, (name, value: unknown) => (name === 'not' ? undefined : value)) as Schema;
      return (definitions = read.$defs);
    } catch (error) {
      if (join(folder, '..') === folder) throw error;
    }
  }
}

/** Name of the params or result type of a method; undefined for an unknown method. */
function typeOf(method: string, side: 'agent' | 'client', ending: RegExp): string | undefined {
  return Object.entries(schema()).find(
    ([name, type]) =>
      type['x-method'] === method && [side, 'protocol'].includes(type['x-side'] ?? '') && ending.test(name),
  )?.[0];
}

/** The schema error of params that the client sends; undefined if valid. */
export function paramsProblem(method: string, isRequest: boolean, params: unknown): string | undefined {
  if (REMOVED.has(method)) return undefined;
  const type = typeOf(method, 'agent', isRequest ? /Request$/ : /Notification$/);
  if (type === undefined) return `${method} is no ${isRequest ? 'request' : 'notification'} of the specification`;
  return problem(type, params) ?? strangers(type, params);
}

/** The schema error of a result of the client. */
export function resultProblem(method: string, result: unknown): string | undefined {
  const type = typeOf(method, 'client', /Response$/);
  if (type === undefined) return undefined;
  return problem(type, result) ?? strangers(type, result);
}

function problem(type: string, value: unknown): string | undefined {
  const outcome = parserOf(type).safeParse(value);
  return outcome.success ? undefined : `no valid ${type}: ${JSON.stringify(value)} ${outcome.error.message}`;
}

/** Custom data belongs into `_meta`. */
function strangers(type: string, value: unknown): string | undefined {
  const known = schema()[type]?.properties;
  const names = Object.keys(asObject(value) ?? {}).filter((name) => known && !(name in known));
  // A union declares its properties in its members.
  return known && !('anyOf' in (schema()[type] ?? {})) && !('oneOf' in (schema()[type] ?? {})) && names.length > 0
    ? `${type} has no ${names.join(', ')}`
    : undefined;
}

function parserOf(type: string): z.ZodType {
  const known = parsers.get(type);
  if (known) return known;
  const parser = z.fromJSONSchema({ $defs: schema(), $ref: `#/$defs/${type}` } as Parameters<
    typeof z.fromJSONSchema
  >[0]);
  parsers.set(type, parser);
  return parser;
}
