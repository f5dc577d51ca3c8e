import type { McpServer } from '@modelcontextprotocol/server';
import { t } from '../../base/l10n';
import type { DisposableStore } from '../../base/lifecycle';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { RecordedMcpConnection } from '../contract/recordedMcpConnection';
import type { InMemoryTransport } from './inMemoryTransport';
import { registerCompletion, registerPrompts } from './registerPrompts';
import { registerResources } from './registerResources';
import { registerTools } from './registerTools';
import type { Mcp, SessionServer } from './sessionServer';

/** Cache time of lists in milliseconds; private, because sessions differ. */
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

const LIST_CHANGES = ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`);

/**
 * An SDK server instance for one connection, with the tools that are available in this session.
 * @param store holds the listeners of the instance
 */
export function createSdkServer(
  library: Mcp,
  served: SessionServer,
  version: string,
  channel: InMemoryTransport,
  store: DisposableStore,
): McpServer {
  const { registered } = served;
  const { title, description, instructions } = registered.server;
  const server = new library.McpServer(
    { name: registered.name, title, version, description },
    {
      ...(instructions !== undefined && { instructions }),
      capabilities: {
        tools: { listChanged: true },
        resources: registered.server.resources ? { listChanged: true, subscribe: true } : {},
        ...(registered.server.prompts && { prompts: { listChanged: true } }),
        ...(registered.server.complete && { completions: {} }),
      },
      // One rule change may change many tools: one notification covers all.
      debouncedNotificationMethods: LIST_CHANGES,
      cacheHints: { 'tools/list': LIST_CACHE, 'prompts/list': LIST_CACHE, 'resources/list': LIST_CACHE },
    },
  );
  store.add(registerTools(server, library, served, channel));
  if (registered.server.resources) store.add(registerResources(server, library, served));
  if (registered.server.prompts) store.add(registerPrompts(server, served));
  registerCompletion(server, served);
  return server;
}

/**
 * Records a connection for “Show Traffic”, if the server's connections are recorded.
 * @param store ends with the connection
 */
export function recordChannel(
  channel: InMemoryTransport,
  { traffic, registered, session }: SessionServer,
  store: DisposableStore,
): void {
  if (!traffic) return;
  const name = escapeInvisibleInline(registered.name);
  const agent = session.state.agent?.title;
  const title =
    agent === undefined
      ? t('MCP server “{0}”', name)
      : t('MCP server “{0}” for {1}', name, escapeInvisibleInline(agent));
  const recorded = new RecordedMcpConnection(traffic, title, 'ready');
  recorded.follow(channel);
  store.defer(() => recorded.end('stopped'));
}
