import { basename, relative } from 'node:path';
import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString } from '../../base/json';
import { firstLine, truncate } from '../../base/text';
import { runDemoTool } from '../demoToolCall';
import type { DemoTurn } from '../demoTurn';
import { findTextFile } from '../demoWorkspace';
import type { Scene } from './scene';

/** Calls tools of the editor over MCP, as a model would: first the problems, then the symbols of a file. */
export const editorTools: Scene = {
  step: 'Ask the editor for problems and symbols',
  async play(turn) {
    const { servers, cwd } = turn.session;
    if (!['problems', 'code'].every((name) => servers.some((server) => server.name === name))) {
      await turn.streamMessage(
        'The editor offers no `problems` and `code` tools in this session, so there is nothing to call.',
      );
      return 'no tools';
    }
    const problems = await call(turn, 'problems', 'list', {});
    const path = await findTextFile(cwd);
    if (path === undefined) return problems;
    const symbols = await call(turn, 'code', 'outline', { path: relative(cwd, path) });
    return `${problems} ${basename(path)}: ${symbols}`;
  },
};

/** Shows one call and its result; returns the first line of the result. */
async function call(turn: DemoTurn, server: string, name: string, input: JsonObject): Promise<string> {
  const start = { title: `${server}__${name}`, kind: 'search', rawInput: input } as const;
  return runDemoTool(turn, start, async (tool) => {
    await tool.change({ status: 'in_progress' });
    const text = truncate(await callEditorTool(turn, server, name, input).catch(asBusy), 4_000);
    await tool.change({ status: 'completed', content: [{ type: 'content', content: { type: 'text', text } }] });
    const first = truncate(firstLine(text), 80).replaceAll(/[`|]/g, '');
    await turn.streamMessage(`\`${server}__${name}\` of the editor answered: “${first}”`);
    return `“${first}”`;
  });
}

/** A busy machine is no failure of the demo. */
function asBusy(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'The editor is busy and has not answered yet.';
  throw error;
}

const VERSION = '2026-07-28';
/** Milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Calls a tool by one stateless request of MCP 2026-07-28.
 * @returns the text of the result
 * @throws Error with what the server said, `TimeoutError` if it said nothing in time
 */
async function callEditorTool(turn: DemoTurn, server: string, name: string, input: JsonObject): Promise<string> {
  const found = turn.session.servers.find((one) => one.name === server);
  if (!found) throw new Error(`The client declared no MCP server "${server}"`);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'parley-demo', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(found.url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      ...found.headers,
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input, _meta },
    }),
    signal: AbortSignal.any([turn.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
  });
  const answer = asObject(await response.json());
  const refused = asString(asObject(answer?.['error'])?.['message']);
  if (refused !== undefined || !response.ok) throw new Error(refused ?? `HTTP ${response.status}`);
  const result = asObject(answer?.['result']);
  const text = asArray(result?.['content'])
    .flatMap((block) => asString(asObject(block)?.['text']) ?? [])
    .join('\n');
  if (result?.['isError'] === true) throw new Error(text);
  return text;
}
