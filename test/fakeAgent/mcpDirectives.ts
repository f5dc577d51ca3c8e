import type { AcpForm, McpClient } from './mcp';
import { connectMcp } from './mcp';
import { headAndTail } from './script';
import type { Json, Wire } from './wire';

/** The MCP servers that the client has declared for a session, and the transport to those over ACP. */
export interface ToolServersOfSession {
  readonly declared: readonly Json[];
  readonly wire: Wire;
}

/**
 * Calls a tool and sends the result of `tools/call` as JSON.
 * @param rest `SERVER TOOL [JSON]`
 */
export async function callTool(servers: ToolServersOfSession, rest: string, form: AcpForm): Promise<string> {
  const [server, afterServer] = headAndTail(rest);
  const [name, json] = headAndTail(afterServer);
  const told = await withServer(servers, server, form, async (client) => {
    const answer = await client.request('tools/call', { name, arguments: json === '' ? {} : JSON.parse(json) });
    await client.close();
    const { error, result } = answer;
    return error ? `error ${error.code} ${error.message}` : JSON.stringify(result);
  });
  return `call ${server} ${name}: ${told}`;
}

/** Connects to a server and keeps the connection open, as agents do for the lifetime of a session. */
export async function keepConnected(servers: ToolServersOfSession, server: string): Promise<string> {
  const told = await withServer(servers, server, 'connected', async ({ pid }) => `connected ${pid ?? ''}`);
  return `keep ${server}: ${told}`;
}

async function withServer(
  { declared, wire }: ToolServersOfSession,
  name: string,
  form: AcpForm,
  use: (client: McpClient) => Promise<string>,
): Promise<string> {
  const server = declared.find((one) => one['name'] === name);
  if (!server) return `no such server among ${declared.map((one) => one['name']).join(', ') || 'none'}`;
  try {
    return await use(await connectMcp(server, wire, form));
  } catch (error) {
    return `failed: ${String(error)}`;
  }
}
