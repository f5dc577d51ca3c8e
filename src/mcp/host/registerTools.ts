import type { McpServer, ServerContext, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { DisposableStore } from '../../base/lifecycle';
import { toCallResult } from '../calls/toolGate';
import type { LongResults } from './longResults';
import { schemasOf } from './toolSchemas';
import type { Tool, ToolContext, ToolResult } from '../toolServerTypes';
import type { BuildOptions } from './sdkServerOptions';

/**
 * Offers the tools that the gate lets the session see, and goes on following it. Sorted by name: equal lists make equal prompts, which
 * models cache.
 */
export function registerTools(
  server: McpServer,
  store: DisposableStore,
  options: BuildOptions,
  results: LongResults,
): void {
  const { registered, session, gate } = options;
  let offered: readonly Tool[] = [];
  let handles: { remove(): void }[] = [];
  const follow = (): void => {
    const isOffered = gate.offersServer(session, registered);
    const all = isOffered ? registered.server.tools : [];
    const wanted = all.filter((tool) => gate.offers(session, registered, tool)).toSorted(byName);
    if (wanted.length === offered.length && wanted.every((tool, index) => tool === offered[index])) return;
    for (const handle of handles) handle.remove();
    offered = wanted;
    handles = wanted.map((tool) => registerTool(server, tool, options, results));
  };
  follow();
  store.add(gate.onDidChange(follow));
  if (registered.server.onDidChange) store.add(registered.server.onDidChange(follow));
}

function byName(a: Tool, b: Tool): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

function registerTool(server: McpServer, tool: Tool, options: BuildOptions, results: LongResults): { remove(): void } {
  const { library, registered, session, gate } = options;
  const { name, title, description, annotations } = tool;
  const { input, output } = schemasOf(library, tool);
  const config = {
    title,
    description,
    annotations: { openWorldHint: false, ...annotations },
    inputSchema: input,
    ...(output && { outputSchema: output }),
  };
  return server.registerTool(name, config, async (given: unknown, context: ServerContext) => {
    const { id, signal, _meta } = context.mcpReq;
    const transport = options.transport?.(id);
    const progress = progressOf(context);
    const meta = _meta && { meta: { ..._meta } };
    const result = await gate.call({ session, registered, tool, input: given, signal, progress, transport, ...meta });
    const answer = results.shorten(result, output !== undefined);
    return toCallResult(await withoutWrongData(answer, output)) as never;
  });
}

/** Clients check the data of an error as well, and would show that it does not fit the schema in place of what went wrong. */
async function withoutWrongData(result: ToolResult, schema: StandardSchemaWithJSON | undefined): Promise<ToolResult> {
  const { structured, ...rest } = result;
  if (!schema || result.isError !== true || structured === undefined) return result;
  const { issues } = await schema['~standard'].validate(structured);
  return issues ? rest : result;
}

/** Tells the caller how far it is, where it asked to be told. Every value is higher than the one before, as MCP wants it. */
function progressOf({ mcpReq }: ServerContext): ToolContext['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let step = 0;
  return (message, done) => {
    step += 1;
    const share = done === undefined ? { progress: step } : { progress: done, total: 1 };
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, message, ...share } })
      .catch(() => undefined);
  };
}
