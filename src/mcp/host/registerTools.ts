import type { McpServer, ServerContext, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { DelayedCall, systemClock } from '../../base/clock';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { truncate } from '../../base/text';
import type { ToolContext, ToolResult } from '../../session/toolServer';
import { CallRateLimit } from '../calls/callLimits';
import type { Tool } from '../contract/toolServerTypes';
import type { CallRequest, DirectCalls } from './directCalls';
import type { InMemoryTransport } from './inMemoryTransport';
import { LongResults, offerLongResults } from './longResults';
import type { Mcp, SessionServer } from './sessionServer';
import { schemasOf } from './toolSchemas';

/**
 * Registers the tools that the gate allows in the session, and follows changes. Sorted by name: equal lists make equal prompts, which
 * models cache.
 */
export function registerTools(
  server: McpServer,
  library: Mcp,
  served: SessionServer,
  channel: InMemoryTransport,
  direct: DirectCalls | undefined,
): Disposable {
  const results = new LongResults();
  offerLongResults(server, library, results);
  const calls = new ConnectionCalls(served, channel, results);
  let registeredTools: readonly Tool[] = [];
  let handles: { remove(): void }[] = [];
  return served.follow(() => {
    const available = served.tools.toSorted(byName);
    if (
      available.length === registeredTools.length &&
      available.every((tool, index) => tool === registeredTools[index])
    )
      return;
    for (const handle of handles) handle.remove();
    registeredTools = available;
    handles = available.flatMap(
      (tool) =>
        served.registerUsable(`tool ${tool.name}`, tool, () => registerTool(server, library, tool, calls, direct)) ??
        [],
    );
  });
}

function byName(a: Tool, b: Tool): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

function registerTool(
  server: McpServer,
  library: Mcp,
  tool: Tool,
  calls: ConnectionCalls,
  direct: DirectCalls | undefined,
): { remove(): void } {
  const { name, title, description, annotations, metadata } = tool;
  const { input, output } = schemasOf(library, tool);
  const config = {
    ...(metadata ?? { title, description, annotations: { openWorldHint: false, ...annotations } }),
    inputSchema: input,
    ...(output && { outputSchema: output }),
  };
  const call = async (given: unknown, request: CallRequest): Promise<JsonObject> =>
    toCallResult(await withoutInvalidData(await calls.run(tool, given, request, output !== undefined), output));
  const registered = server.registerTool(
    name,
    config,
    async (given: unknown, { mcpReq }: ServerContext) => (await call(given, mcpReq)) as never,
  );
  const added = direct?.add(name, { input, output, call });
  return {
    remove: () => {
      registered.remove();
      added?.dispose();
    },
  };
}

/** The tool calls of one connection. */
class ConnectionCalls {
  constructor(
    private readonly served: SessionServer,
    private readonly channel: InMemoryTransport,
    private readonly results: LongResults,
  ) {}

  /** @param hasSchema the result must have data */
  async run(tool: Tool, input: unknown, request: CallRequest, hasSchema: boolean): Promise<ToolResult> {
    const { gate, session, registered } = this.served;
    const { id, signal, _meta } = request;
    const transport = this.channel.transport(id);
    const progress = progressOf(request);
    const meta = _meta && { meta: { ..._meta } };
    const result = await gate.call({ session, registered, tool, input, signal, progress, transport, ...meta });
    return this.results.shorten(result, hasSchema);
  }
}

/** UTF-16 units of a progress message. */
const MAX_MESSAGE = 2_000;
/** Milliseconds in which progress over the rate limit is merged; the latest message is sent. */
const MERGE_WINDOW_MS = 250;

/** Clients also validate the data of an error, and would report a schema mismatch instead of the error. */
async function withoutInvalidData(result: ToolResult, schema: StandardSchemaWithJSON | undefined): Promise<ToolResult> {
  const { structured, ...rest } = result;
  if (!schema || result.isError !== true || structured === undefined) return result;
  const { issues } = await schema['~standard'].validate(structured);
  return issues ? rest : result;
}

/** Progress for callers that asked for it; a server may report it without end. */
function progressOf(request: CallRequest): ToolContext['progress'] {
  const send = progressSender(request);
  const rate = new CallRateLimit(systemClock);
  let latest: Parameters<ToolContext['progress']> | undefined;
  const flush = (): void => {
    if (latest) send(...latest);
    latest = undefined;
  };
  const later = new DelayedCall(MERGE_WINDOW_MS, flush);
  return (...reported) => {
    latest = reported;
    if (rate.enter('')) flush();
    else later.schedule();
  };
}

/** Each value exceeds the last, as MCP requires, whatever share the tool reports. */
function progressSender(request: CallRequest): ToolContext['progress'] {
  const progressToken = request._meta?.['progressToken'];
  if (progressToken === undefined) return () => undefined;
  let last: number | undefined;
  let isShare = false;
  return (message, done) => {
    const from = last ?? 0;
    // The first share is often zero.
    const isGreater = done !== undefined && done <= 1 && (done > from || (done === 0 && last === undefined));
    isShare = isGreater || (isShare && from < 1);
    // A message without a greater share moves on a little, so that the next share, also the first, still exceeds it.
    const next = from < 1 ? from + (1 - from) / 1_000 : Math.floor(from) + 1;
    last = isGreater ? done : next;
    const params = { progressToken, message: truncate(message, MAX_MESSAGE), progress: last };
    request
      .notify({ method: 'notifications/progress', params: { ...params, ...(isShare && { total: 1 }) } })
      .catch(() => undefined);
  };
}

function toCallResult(result: ToolResult): {
  content: JsonObject[];
  structuredContent?: JsonObject;
  isError?: boolean;
  _meta?: JsonObject;
} {
  const { text, content, structured, isError, meta } = result;
  return {
    content: content ? [...content] : [{ type: 'text', text }],
    ...(structured && { structuredContent: structured }),
    ...(isError && { isError }),
    ...(meta && { _meta: meta }),
  };
}
