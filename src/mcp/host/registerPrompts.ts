import type { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json';
import { invalidParams } from '../../base/jsonRpc';
import type { Disposable } from '../../base/lifecycle';
import type { ToolPrompt } from '../contract/toolServerTypes';
import type { SessionServer } from './sessionServer';

/**
 * Answers requests for the prompts of a server and follows their changes. The SDK's own registration describes arguments by a schema, which
 * loses their titles.
 */
export function registerPrompts(sdk: McpServer, served: SessionServer): Disposable {
  const { server } = sdk;
  let listed: readonly ToolPrompt[] = [];
  server.setRequestHandler('prompts/list', () => ({ prompts: listed.map(toListedPrompt) as never[] }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: values = {} } }, context) => {
    const prompt = listed.find((one) => one.name === name);
    if (!prompt) throw invalidParams(`The prompt ${name} was not found`);
    const missing = prompt.arguments.find((one) => one.required === true && values[one.name] === undefined);
    if (missing) throw invalidParams(`The prompt ${name} needs the argument ${missing.name}`);
    return served.access(`prompt:${name}`, { arguments: values }, context, async () => {
      const given = await prompt.render(values);
      // Prompts of another server are already in MCP's form.
      if (typeof given !== 'string') return given as { messages: never[] };
      return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: given } }] };
    });
  });
  return served.follow(() => {
    const prompts = availablePrompts(served);
    if (prompts.length === listed.length && prompts.every((prompt, index) => prompt === listed[index])) return;
    listed = prompts;
    sdk.sendPromptListChanged();
  });
}

interface Completion {
  [field: string]: unknown;
  completion: { values: string[] };
}

/** Answers `completion/complete` about prompts and templates that the agent can see. */
export function registerCompletion({ server }: McpServer, served: SessionServer): void {
  const tools = served.registered.server;
  if (!tools.complete) return;
  server.setRequestHandler('completion/complete', ({ params: { ref, argument, context: given } }, context) => {
    const isPrompt = ref.type === 'ref/prompt';
    const isKnown = isPrompt
      ? availablePrompts(served).some(({ name }) => name === ref.name)
      : served.isAvailable && tools.templates?.some(({ pattern }) => pattern === ref.uri) === true;
    const subject = isPrompt ? `prompt:${ref.name}` : `resource:${ref.uri}`;
    if (!isKnown) throw invalidParams(`${subject} was not found`);
    const input = { ref, argument, ...(given && { context: given }) };
    return served.access(subject, input, context, async () => (await tools.complete?.(input)) as Completion);
  });
}

/** Of prompts with one name, the first. */
function availablePrompts({ isAvailable, registered: { server } }: SessionServer): readonly ToolPrompt[] {
  if (!isAvailable) return [];
  return [
    ...new Map((server.prompts?.() ?? []).toReversed().map((prompt) => [prompt.name, prompt])).values(),
  ].toReversed();
}

function toListedPrompt({ name, title, description, arguments: args, metadata }: ToolPrompt): JsonObject {
  if (metadata) return { name, ...metadata };
  return { name, ...(title !== undefined && { title }), description, arguments: args };
}
