import type { McpServer } from '@modelcontextprotocol/server';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { RecordedMcpConnection } from '../contract/recordedMcpConnection';
import { DirectCalls } from './directCalls';
import type { InMemoryTransport } from './inMemoryTransport';
import { registerCompletion, registerPrompts } from './registerPrompts';
import { registerResources } from './registerResources';
import { registerTools } from './registerTools';
import type { Mcp, SessionServer } from './sessionServer';

/** Cache time of lists in milliseconds; private, because sessions differ. */
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

const LIST_CHANGES = ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`);

/**
 * Serves one connection; the SDK server is created with its first message.
 * @returns ends the connection
 */
export function serveChannel(
  library: Mcp,
  served: SessionServer,
  version: string,
  channel: InMemoryTransport,
): Disposable {
  const { log, registered } = served;
  const store = new DisposableStore();
  recordChannel(channel, served, store);
  const direct = new DirectCalls(channel);
  const create = ({ era }: { readonly era: string }): McpServer =>
    createSdkServer(library, served, version, channel, store, era === 'modern' ? direct : undefined);
  const onerror = (error: Error): void =>
    log.trace('mcp', `The server ${registered.name} reported an error: ${error.message}`);
  const handle = library.serveStdio(create, { transport: direct, onerror });
  store.defer(() => {
    handle
      .close()
      .catch((error: unknown) => log.warn('mcp', `Failed to close ${registered.name}: ${errorMessage(error)}`));
  });
  return store;
}

/**
 * An SDK server instance for one connection, with the tools that are available in this session.
 * @param store holds the listeners of the instance
 */
function createSdkServer(
  library: Mcp,
  served: SessionServer,
  version: string,
  channel: InMemoryTransport,
  store: DisposableStore,
  direct: DirectCalls | undefined,
): McpServer {
  const { registered } = served;
  const { title, description, instructions } = registered.server;
  const serverInfo = { name: registered.name, title, version, description };
  const server = new library.McpServer(serverInfo, {
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
  });
  store.add(registerTools(server, library, served, channel, direct));
  // Content of other servers is validated by the SDK.
  if (registered.origin === 'builtIn') direct?.open(serverInfo);
  if (registered.server.resources) store.add(registerResources(server, library, served));
  if (registered.server.prompts) store.add(registerPrompts(server, served));
  registerCompletion(server, served);
  return server;
}

/**
 * Records a connection for “Show Traffic”, if the server's connections are recorded.
 * @param store ends with the connection
 */
function recordChannel(
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
