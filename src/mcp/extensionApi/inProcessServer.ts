import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString, isObject } from '../../base/json';
import type { ToolContext, ToolResult, McpOutcome } from '../../session/toolServer';
import type { Tool } from '../contract/toolServerTypes';
import { ToolError } from '../contract/toolServerTypes';
import { InMemoryTransport } from '../host/inMemoryTransport';
import type { ApiMcpServer } from './parleyApi';

/** Supported by every MCP SDK since 2025. */
const PROTOCOL = '2025-06-18';
/** Maximum pages of a list: a server could send pages endlessly. */
const MAX_PAGES = 50;

export interface InProcessServer {
  /** Rejects when the server refuses. */
  tools(): Promise<readonly Tool[]>;
  close(): Promise<void>;
}

/**
 * @param onDidChangeTools Called when the server reports another tool list.
 * @throws the server's error
 */
export async function connectInProcess(
  server: ApiMcpServer,
  version: string,
  onDidChangeTools: () => void,
): Promise<InProcessServer> {
  const channel = new InMemoryTransport();
  channel.onNotification = (method) => {
    if (method === 'notifications/tools/list_changed') onDidChangeTools();
  };
  await server.connect(channel);
  const clientInfo = { name: 'parley', title: 'Parley', version };
  resultOf(
    await channel.request({
      id: 'initialize',
      method: 'initialize',
      params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo },
    }),
  );
  channel.notify('notifications/initialized', undefined);
  return { tools: () => listTools(channel), close: () => server.close() };
}

async function listTools(channel: InMemoryTransport): Promise<readonly Tool[]> {
  const found: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? undefined : { cursor };
    // Each page contains the cursor of the next one.
    const result = resultOf(
      await channel.request({ id: `list-${page}`, method: 'tools/list', ...(params && { params }) }),
    );
    found.push(
      ...asArray(result['tools'])
        .filter(isObject)
        .flatMap((tool) => innerTool(channel, tool)),
    );
    cursor = asString(result['nextCursor']);
    if (cursor === undefined) break;
  }
  return found;
}

function innerTool(channel: InMemoryTransport, definition: JsonObject): Tool[] {
  const name = asString(definition['name']);
  if (name === undefined || name === '') return [];
  const annotations = asObject(definition['annotations']) ?? {};
  const output = asObject(definition['outputSchema']);
  return [
    {
      name,
      title: asString(definition['title']) ?? name,
      description: asString(definition['description']) ?? '',
      input: asObject(definition['inputSchema']) ?? { type: 'object' },
      ...(output && { output }),
      annotations,
      approval: annotations['readOnlyHint'] === true ? 'free' : 'policy',
      call: (input, context) => callInner(channel, name, input, context),
    },
  ];
}

let lastCall = 0;

async function callInner(
  channel: InMemoryTransport,
  name: string,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  lastCall += 1;
  const id = `call-${lastCall}`;
  const { signal, progress, meta } = context;
  const params = { name, arguments: asObject(input) ?? {}, _meta: { ...meta, progressToken: id } };
  const notify = (method: string, reported: JsonObject | undefined): void => {
    if (method !== 'notifications/progress') return;
    const [done, total] = [reported?.['progress'], reported?.['total']];
    const share = typeof done === 'number' && typeof total === 'number' && total > 0 ? done / total : undefined;
    progress(asString(reported?.['message']) ?? '', share);
  };
  const result = resultOf(await channel.request({ id, method: 'tools/call', params, signal, notify }));
  const content = asArray(result['content']).filter(isObject);
  const texts = content.map(({ text }) => asString(text)).filter((text) => text !== undefined);
  const structured = asObject(result['structuredContent']);
  return {
    text: texts.join('\n'),
    content,
    ...(structured && { structured }),
    ...(result['isError'] === true && { isError: true }),
  };
}

function resultOf(outcome: McpOutcome): JsonObject {
  if ('error' in outcome) throw new ToolError(errorMessage(outcome.error));
  return asObject(outcome.result) ?? {};
}
