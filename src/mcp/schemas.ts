import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Mcp } from './build';
import type { ZodObject, ZodType } from 'zod';
import type { SchemaSource, Tool, Zod } from './toolServer';
import { mayWait } from './toolServer';

interface Schemas {
  readonly input: StandardSchemaWithJSON;
  readonly output?: StandardSchemaWithJSON;
}

const made = new WeakMap<Tool, Schemas>();

/** The schemas of a tool as the SDK takes them, made once for each: thirty cost 1.8 ms (mcp.md, section 2.1). */
export function schemasOf(library: Mcp, tool: Tool): Schemas {
  const known = made.get(tool);
  if (known) return known;
  const { input, output } = mayWait(tool) ? withWaiting(tool) : tool;
  const schemas = {
    input: toSchema(library, input),
    ...(output && { output: toSchema(library, output) }),
  };
  made.set(tool, schemas);
  return schemas;
}

/** Of zod's or of a JSON Schema. */
export function toSchema(library: Mcp, source: SchemaSource): StandardSchemaWithJSON {
  return typeof source === 'function' ? source(library.z) : library.fromJsonSchema(source);
}

/** A call that waits for the person answers with a status and a handle, and takes the handle (tool-servers.md, section 3). */
function withWaiting({ input, output }: Tool): Pick<Tool, 'input' | 'output'> {
  if (typeof input !== 'function') return { input, ...(output && { output }) };
  const handle = 'The handle of an answer awaiting_approval: waits on for that call';
  return {
    input: (z) => objectOf(input(z)).extend({ handle: z.string().optional().describe(handle) }),
    ...(typeof output === 'function' && {
      output: (z: Zod) =>
        objectOf(output(z))
          .partial()
          .extend({ status: z.literal('awaiting_approval').optional(), handle: z.string().optional() }),
    }),
  };
}

function objectOf(schema: ZodType): ZodObject {
  if (schema.type !== 'object') throw new Error('The input and output of a tool are objects');
  return schema as ZodObject;
}
