import { basename, relative } from 'node:path';
import type { JsonObject } from '../../base/json';
import { firstLine, truncate } from '../../base/text';
import { runDemoTool } from '../demoToolCall';
import type { Turn } from '../demoTurn';
import { findTextFile } from '../demoWorkspace';
import { callEditorTool } from '../callEditorTool';
import type { Scene } from './scene';

/** Calls tools of the editor over MCP, as a model would: first the problems, then the symbols of a file. */
export const editorTools: Scene = {
  step: 'Ask the editor for problems and symbols',
  how: 'MCP: `problems__list`, `code__outline`',
  async play(turn) {
    const { servers, cwd } = turn.session;
    if (!['problems', 'code'].every((name) => servers.some((server) => server.name === name))) {
      await turn.say('The editor offers no `problems` and `code` tools in this session, so there is nothing to call.');
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
async function call(turn: Turn, server: string, name: string, input: JsonObject): Promise<string> {
  const start = { title: `${server}__${name}`, kind: 'search', rawInput: input } as const;
  return runDemoTool(turn, start, async (tool) => {
    await tool.change({ status: 'in_progress' });
    const text = truncate(await callEditorTool(turn, server, name, input), 4_000);
    await tool.change({ status: 'completed', content: [{ type: 'content', content: { type: 'text', text } }] });
    const first = truncate(firstLine(text), 80).replaceAll(/[`|]/g, '');
    await turn.say(`\`${server}__${name}\` of the editor answered: “${first}”`);
    return `“${first}”`;
  });
}
