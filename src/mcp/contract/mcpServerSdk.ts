import * as zod from 'zod';

/**
 * The MCP server SDK and zod as a separate chunk (`dist/lib/mcp.js`), loaded with the first session and never at activation. Only
 * libraries belong here: Parley's code in two chunks would be duplicated.
 */
export { McpServer, ResourceTemplate, classifyInboundRequest, fromJsonSchema } from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
export { AjvJsonSchemaValidator as JsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';

/** The parts of zod that tool schemas use; all of zod adds 300 KB. */
export const z = {
  object: zod.object,
  strictObject: zod.strictObject,
  record: zod.record,
  array: zod.array,
  string: zod.string,
  number: zod.number,
  int: zod.int,
  boolean: zod.boolean,
  enum: zod.enum,
  literal: zod.literal,
  union: zod.union,
  lazy: zod.lazy,
  unknown: zod.unknown,
};
