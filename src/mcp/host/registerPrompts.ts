import type { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json';
import type { DisposableStore } from '../../base/lifecycle';
import { toSchema } from './toolSchemas';
import type { ToolPrompt } from '../contract/toolServerTypes';
import type { BuildOptions } from './sdkServerOptions';
import { registerUsable } from './sdkServerOptions';

/** Registers the prompts of a server and follows their changes. */
export function registerPrompts(server: McpServer, store: DisposableStore, options: BuildOptions): void {
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
