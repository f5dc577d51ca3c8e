import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { PermissionOption } from '@agentclientprotocol/sdk/unstable';
import { RequestError, methods } from '@agentclientprotocol/sdk/unstable';
import { systemErrorCode } from '../../base/errors';
import { rpcCodes } from '../../base/jsonRpc';
import { askPermission } from '../askPermission';
import type { DemoToolCall } from '../demoToolCall';
import { runDemoTool } from '../demoToolCall';
import type { DemoTurn } from '../demoTurn';
import { demoFileIn } from '../demoWorkspace';
import type { Scene } from './scene';

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow edits in this chat', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

interface Edit {
  readonly path: string;
  /** Undefined when the file does not exist yet. */
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** Changes the demo's own file in the workspace, after it has shown the diff and asked for permission. */
export const edit: Scene = {
  step: 'Change a file, once you allow it',
  needs: 'write',
  isActing: true,
  async play(turn) {
    const path = demoFileIn(turn.session.cwd);
    const oldText = await currentText(turn, path);
    const change: Edit = { path, oldText, newText: nextText(oldText, turn.session.isBrief) };
    const title = `${oldText === undefined ? 'Create' : 'Add a line to'} ${basename(path)}`;
    const diff = { type: 'diff', path, oldText: oldText ?? null, newText: change.newText } as const;
    const start = { title, kind: 'edit', content: [diff], locations: [{ path }], rawInput: { path } } as const;
    return runDemoTool(turn, { ...start, content: [diff], locations: [{ path }] }, (tool) =>
      askAndWrite(turn, tool, change),
    );
  },
};

async function askAndWrite(turn: DemoTurn, tool: DemoToolCall, change: Edit): Promise<string> {
  const name = basename(change.path);
  if (!turn.session.canEditFreely && turn.session.options.mode !== 'edits') {
    const { kind } = await askPermission(turn, tool, [...OPTIONS]);
    if (kind === 'reject_once' || kind === 'reject_always') {
      await tool.change({ status: 'failed', rawOutput: { rejected: true } });
      await turn.streamMessage('You rejected the change, so nothing was written. The demo continues without it.');
      return 'rejected by you, nothing written';
    }
    turn.session.canEditFreely = kind === 'allow_always';
  }
  await tool.change({ status: 'in_progress' });
  const { path, newText: content } = change;
  await turn.request(methods.client.fs.writeTextFile, { sessionId: turn.session.id, path, content });
  await tool.change({ status: 'completed' });
  const verb = change.oldText === undefined ? 'created' : 'changed';
  await turn.streamMessage(`I ${verb} \`${name}\`. You may delete it whenever you like.`);
  return `${verb} \`${name}\``;
}

/** The file's current text: with unsaved changes if the client supports reading files, else from disk. */
async function currentText(turn: DemoTurn, path: string): Promise<string | undefined> {
  try {
    if (!turn.capabilities.read) return await readFile(path, 'utf8');
    const request = { sessionId: turn.session.id, path };
    return (await turn.request(methods.client.fs.readTextFile, request)).content;
  } catch (error) {
    if (turn.signal.aborted || !isMissing(error)) throw error;
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  if (error instanceof RequestError) return error.code === rpcCodes.resourceNotFound;
  return systemErrorCode(error) === 'ENOENT';
}

/** The old text plus one line, or a new document. Keeps the file's line ends. */
function nextText(oldText: string | undefined, isBrief: boolean): string {
  const line = `- The demo agent was here on ${new Date().toISOString()}.`;
  if (oldText === undefined) return isBrief ? `${TITLE}\n\n${line}\n` : `${TITLE}\n\n${EXPLANATION}\n\n${line}\n`;
  const end = oldText.includes('\r\n') ? '\r\n' : '\n';
  const gap = oldText === '' || oldText.endsWith('\n') ? '' : end;
  return `${oldText}${gap}${line}${end}`;
}

const TITLE = '# Written by the demo agent';
const EXPLANATION = 'The scripted demo agent wrote this file. Nothing needs it: it may be deleted.';
