/**
 * The MCP client SDK: a chunk of its own (`dist/lib/mcp-client.js`), read when a server of the user's goes through Parley for the first
 * time. Only libraries belong here: code of ours in two chunks would be two copies.
 */
export { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
export { Client } from '@modelcontextprotocol/sdk/client/index.js';
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
export { JSONRPCMessageSchema, ListRootsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
