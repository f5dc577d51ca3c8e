import type { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json';
import type { Disposable, DisposableStore } from '../../base/lifecycle';
import type { ToolPrompt } from '../contract/toolServerTypes';
import type { InMemoryTransport } from './inMemoryTransport';
import { registerResources } from './registerResources';
import { registerTools } from './registerTools';
import type { Mcp, SessionServer } from './sessionServer';
import { toSchema } from './toolSchemas';

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
      },
      // One rule change may change many tools: one notification covers all.
      debouncedNotificationMethods: LIST_CHANGES,
      cacheHints: { 'tools/list': LIST_CACHE, 'prompts/list': LIST_CACHE, 'resources/list': LIST_CACHE },
    },
  );
  store.add(registerTools(server, library, served, channel));
  if (registered.server.resources) store.add(registerResources(server, library, served));
  if (registered.server.prompts) store.add(registerPrompts(server, library, served));
  return server;
}

/** Registers the prompts of a server and follows their changes. */
function registerPrompts(server: McpServer, library: Mcp, served: SessionServer): Disposable {
  let handles: { remove(): void }[] = [];
  let registeredPrompts: readonly ToolPrompt[] = [];
  return served.follow(() => {
    const prompts = served.isAvailable ? (served.registered.server.prompts?.() ?? []) : [];
    if (
      prompts.length === registeredPrompts.length &&
      prompts.every((prompt, index) => prompt === registeredPrompts[index])
    )
      return;
    for (const handle of handles) handle.remove();
    registeredPrompts = prompts;
    handles = prompts.flatMap(
      (prompt) =>
        served.registerUsable(`prompt ${prompt.name}`, prompt, () => registerPrompt(server, library, prompt)) ?? [],
    );
  });
}

function registerPrompt(server: McpServer, library: Mcp, prompt: ToolPrompt): { remove(): void } {
  const { name, title, description } = prompt;
  const config = {
    ...(title !== undefined && { title }),
    description,
    argsSchema: toSchema(library, argumentSchema(prompt)),
  };
  return server.registerPrompt(name, config, async (values: unknown) => {
    const given = await prompt.render(values as Record<string, string>);
    // Prompts of another server are already in MCP's form.
    if (typeof given !== 'string') return { messages: given as unknown as never[] };
    return { messages: [{ role: 'user', content: { type: 'text', text: given } }] };
  });
}

/** All prompt arguments are strings (MCP specification, Prompts). */
function argumentSchema({ arguments: args }: ToolPrompt): JsonObject {
  const properties = args.map(({ name, description }) => [name, { type: 'string', description: description ?? name }]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    required: args.filter(({ required }) => required).map(({ name }) => name),
  };
}
