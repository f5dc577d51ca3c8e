import type { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json';
import type { DisposableStore } from '../../base/lifecycle';
import type { ToolPrompt } from '../contract/toolServerTypes';
import { LongResults, offerLongResults } from './longResults';
import { registerResources } from './registerResources';
import { registerTools } from './registerTools';
import type { BuildOptions } from './sdkServerOptions';
import { registerUsable } from './sdkServerOptions';
import { toSchema } from './toolSchemas';

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

/** Registers the prompts of a server and follows their changes. */
function registerPrompts(server: McpServer, store: DisposableStore, options: BuildOptions): void {
  const { registered, session, gate } = options;
  if (!registered.server.prompts) return;
  let handles: { remove(): void }[] = [];
  let registeredPrompts: readonly ToolPrompt[] = [];
  const follow = (): void => {
    const prompts = gate.isServerAvailable(session, registered) ? (registered.server.prompts?.() ?? []) : [];
    if (
      prompts.length === registeredPrompts.length &&
      prompts.every((prompt, index) => prompt === registeredPrompts[index])
    )
      return;
    for (const handle of handles) handle.remove();
    registeredPrompts = prompts;
    handles = prompts.flatMap(
      (prompt) =>
        registerUsable(options, `prompt ${prompt.name}`, prompt, () => registerPrompt(server, prompt, options)) ?? [],
    );
  };
  follow();
  store.add(gate.onDidChange(follow));
  if (registered.server.onDidChange) store.add(registered.server.onDidChange(follow));
}

function registerPrompt(server: McpServer, prompt: ToolPrompt, { library }: BuildOptions): { remove(): void } {
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
