import type { McpServer } from '@agentclientprotocol/sdk/unstable';

/** An MCP server that the client declared over HTTP. */
export interface EditorServer {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function editorServers(servers: readonly McpServer[]): readonly EditorServer[] {
  return servers.flatMap((server) => {
    if (!('type' in server) || server.type !== 'http') return [];
    const { name, url, headers } = server;
    return [{ name, url, headers: Object.fromEntries(headers.map((header) => [header.name, header.value])) }];
  });
}
