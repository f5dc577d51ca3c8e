/**
 * The MCP client SDK as a separate chunk (`dist/lib/mcp-client.js`), loaded when a user server first goes through Parley. Only libraries
 * belong here: Parley's code in two chunks would be duplicated.
 */
export { auth, extractWWWAuthenticateParams, selectClientAuthMethod } from '@modelcontextprotocol/sdk/client/auth.js';
export { Client } from '@modelcontextprotocol/sdk/client/index.js';
export { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
export { JSONRPCMessageSchema, ListRootsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
