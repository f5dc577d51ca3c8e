import type { ToolContent, ToolKind } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import type { ToolPatch } from '../../src/shared/state/toolCallState';
import { NOON, diff } from './sample';

const text = (value: string): ToolContent => ({ type: 'block', block: { type: 'text', text: value } });

/** A tool call of every kind as real agents send them, and the actions that create its view. */
export const calls: Readonly<Record<ToolKind, ToolPatch>> = {
  read: {
    title: 'Read upload.ts',
    tool: 'read',
    locations: [{ path: '/work/src/upload.ts', label: 'src/upload.ts' }],
    rawInput: { file_path: '/work/src/upload.ts', offset: 40, limit: 49 },
    content: [text('```\nexport async function send(chunk: Uint8Array): Promise<void> {\n  await put(chunk);\n}\n```')],
  },
  edit: {
    title: 'Edit upload.ts',
    tool: 'edit',
    locations: [{ path: '/work/src/upload.ts', label: 'src/upload.ts' }],
    content: [diff],
    rawInput: { file_path: '/work/src/upload.ts' },
  },
  delete: {
    title: 'Delete the old client',
    tool: 'delete',
    locations: [{ path: '/work/src/oldClient.ts', label: 'src/oldClient.ts' }],
  },
  move: {
    title: 'Move the retry',
    tool: 'move',
    rawInput: { source: 'src/retry.ts', destination: 'src/net/retry.ts' },
  },
  search: {
    title: 'Search for send(',
    tool: 'search',
    rawInput: { pattern: 'send\\(', path: 'src' },
    content: [
      text(
        'Found 3 matches\nsrc/upload.ts:41:export async function send(chunk: Uint8Array): Promise<void> {\nsrc/upload.ts:77:    await send(part);\nsrc/cli.ts:12:  send(bytes)',
      ),
    ],
  },
  execute: {
    title: 'Run the tests',
    tool: 'execute',
    rawInput: { command: 'npm test -- upload', description: 'Run the tests' },
    content: [
      text(
        '```console\n\u001b[32m✔\u001b[0m retries ECONNRESET\n\u001b[31m✖\u001b[0m gives up after the deadline\n```',
      ),
    ],
    rawOutput: { metadata: { exit: 1 } },
  },
  think: {
    title: 'Weigh two ways to retry',
    tool: 'think',
    content: [text('A queue would keep **order**; a loop is simpler.')],
  },
  fetch: {
    title: 'Read the documentation',
    tool: 'fetch',
    rawInput: { url: 'https://example.test/retry?attempts=4' },
    content: [text('# Retry\n\nUse jitter.')],
  },
  switch_mode: {
    title: 'Ready to code?',
    tool: 'switch_mode',
    rawInput: { plan: '## Plan\n\n1. Wrap the request\n2. Test it' },
  },
  other: {
    title: 'scripted_echo',
    tool: 'other',
    rawInput: { text: 'hi', options: { loud: true } },
    rawOutput: { content: [{ type: 'text', text: 'HI' }] },
  },
};

export const prompt = { type: 'promptSent', text: 'go', blocks: [], at: NOON } as const;

/** The call has started, in this state. */
export function call(kind: ToolKind, patch: ToolPatch = {}): Action {
  return { type: 'toolStarted', toolCallId: kind, patch: { status: 'done', ...calls[kind], ...patch }, at: NOON };
}
