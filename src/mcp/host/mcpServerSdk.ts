import * as zod from 'zod';

/**
 * The MCP server SDK and zod: a chunk of its own (`dist/lib/mcp.js`), read when the first session is opened and never at activation.
 * Only libraries belong here: code of ours in two chunks would be two copies.
 */
export { McpServer, ResourceTemplate, classifyInboundRequest, fromJsonSchema } from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';

/** What of zod the schemas of tools are made with; all of it is 300 KB more. */
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
