import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Mcp } from './build';
import type { SchemaSource, Tool } from './toolServer';

interface Schemas {
  readonly input: StandardSchemaWithJSON;
  readonly output?: StandardSchemaWithJSON;
}

const made = new WeakMap<Tool, Schemas>();

/** The schemas of a tool as the SDK takes them, made once for each: thirty cost 1.8 ms (mcp.md, section 2.1). */
export function schemasOf(library: Mcp, tool: Tool): Schemas {
  const known = made.get(tool);
  if (known) return known;
  const schemas = {
    input: toSchema(library, tool.input),
    ...(tool.output && { output: toSchema(library, tool.output) }),
  };
  made.set(tool, schemas);
  return schemas;
}

/** Of zod's or of a JSON Schema. */
export function toSchema(library: Mcp, source: SchemaSource): StandardSchemaWithJSON {
  return typeof source === 'function' ? source(library.z) : library.fromJsonSchema(source);
}
