/**
 * The MCP client SDK for 2026-07-28 as a separate chunk (`dist/lib/mcp-client-2026.js`), loaded only for servers that support no older
 * revision.
 */
export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
