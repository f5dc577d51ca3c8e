import { asArray, asObject, asString } from '../base/json';
import type { JsonObject } from '../base/json';
import type { Turn } from './demoTurn';

const VERSION = '2026-07-28';
/** Milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Calls a tool by one stateless request of MCP 2026-07-28.
 * @returns the text of the result
 * @throws Error with what the server said
 */
export async function callEditorTool(turn: Turn, server: string, name: string, input: JsonObject): Promise<string> {
  const found = turn.session.servers.find((one) => one.name === server);
  if (!found) throw new Error(`The client declared no MCP server "${server}"`);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'parley-demo', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(found.url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      ...found.headers,
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input, _meta },
    }),
    signal: AbortSignal.any([turn.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
  });
  const answer = asObject(await response.json());
  const refused = asString(asObject(answer?.['error'])?.['message']);
  if (refused !== undefined || !response.ok) throw new Error(refused ?? `HTTP ${response.status}`);
  const result = asObject(answer?.['result']);
  const text = asArray(result?.['content'])
    .flatMap((block) => asString(asObject(block)?.['text']) ?? [])
    .join('\n');
  if (result?.['isError'] === true) throw new Error(text);
  return text;
}
