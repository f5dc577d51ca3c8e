import { basename } from 'node:path';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { firstLine, truncate } from '../../base/text';
import type { DemoToolCall } from '../demoToolCall';
import { runDemoTool } from '../demoToolCall';
import type { DemoTurn } from '../demoTurn';
import { findTextFile } from '../demoWorkspace';
import type { Scene } from './scene';

/** Number of requested lines: enough for display, cheap for any file. */
const LINE_LIMIT = 40;

/** Reads a file through the client, so that unsaved changes are included. */
export const read: Scene = {
  step: 'Read a file of this workspace',
  needs: 'read',
  async play(turn) {
    const path = await findTextFile(turn.session.cwd);
    if (!path) {
      await turn.streamMessage('There is no text file in this workspace yet, so there is nothing to read.');
      return 'nothing to read';
    }
    const rawInput = { path, line: 1, limit: LINE_LIMIT };
    const start = { title: `Read ${basename(path)}`, kind: 'read', locations: [{ path, line: 1 }], rawInput } as const;
    return runDemoTool(turn, { ...start, locations: [...start.locations] }, (tool) => readFile(turn, tool, rawInput));
  },
};

async function readFile(
  turn: DemoTurn,
  tool: DemoToolCall,
  input: { path: string; line: number; limit: number },
): Promise<string> {
  await tool.change({ status: 'in_progress' });
  const { content } = await turn.request(methods.client.fs.readTextFile, { sessionId: turn.session.id, ...input });
  await tool.change({
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: toFenced(content) } }],
    rawOutput: { characters: content.length },
  });
  const first = truncate(firstLine(content), 80);
  const name = basename(input.path);
  await turn.streamMessage(first ? `\`${name}\` begins with: “${first}”` : `\`${name}\` is empty.`);
  return `\`${name}\`, ${content.length} characters`;
}

/** A code block with a fence longer than any in the text. */
function toFenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
