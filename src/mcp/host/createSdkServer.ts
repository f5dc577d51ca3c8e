import type { McpServer } from '@modelcontextprotocol/server';
import type { DisposableStore } from '../../base/lifecycle';
import { LongResults, offerLongResults } from './longResults';
import { registerPrompts } from './registerPrompts';
import { registerResources } from './registerResources';
import { registerTools } from './registerTools';
import type { BuildOptions } from './sdkServerOptions';

/** Cache time of lists in milliseconds; private, because sessions differ. */
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

const LIST_CHANGES = ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`);

/**
 * An SDK server instance for one connection, with the tools that are available in this session.
 * @param store holds the listeners of the instance
 */
export function createSdkServer(options: BuildOptions, store: DisposableStore): McpServer {
  const { library, registered, version } = options;
  const { title, description, instructions } = registered.server;
  const server = new library.McpServer(
    { name: registered.name, title, version, description },
    {
      ...(instructions !== undefined && { instructions }),
      capabilities: {
        tools: { listChanged: true },
        resources: registered.server.resources ? { listChanged: true, subscribe: true } : {},
        ...(registered.server.prompts && { prompts: { listChanged: true } }),
      },
      // One rule change may change many tools: one notification covers all.
      debouncedNotificationMethods: LIST_CHANGES,
      cacheHints: { 'tools/list': LIST_CACHE, 'prompts/list': LIST_CACHE, 'resources/list': LIST_CACHE },
    },
  );
  const results = new LongResults();
  offerLongResults(server, library, results);
  registerTools(server, store, options, results);
  registerResources(server, store, options);
  registerPrompts(server, store, options);
  return server;
}
