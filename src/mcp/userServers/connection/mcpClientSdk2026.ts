/**
 * The MCP client SDK that speaks 2026-07-28: a chunk of its own (`dist/lib/mcp-client-2026.js`), read only for a server that answers no
 * older revision.
 */
export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
