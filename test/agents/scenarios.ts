import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manyChunk } from './player';
import type { ModelServer } from './modelServer';
import type { RawClient, WireEntry } from './rawClient';

/** What the person answers to a permission request: an option, or nothing and cancels the turn instead. */
export type PermissionAnswer = 'once' | 'always' | 'reject' | 'cancel';

export interface ScenarioRun {
  readonly client: RawClient;
  readonly server: ModelServer;
  readonly sessionId: string;
  readonly workspace: string;
}

/** One prompt to opencode, and what must be true afterwards. `check` returns complaints; none means passed. */
export interface Scenario {
  /** `{workspace}` stands for the workspace folder: models name files absolutely, though opencode accepts both. */
  readonly prompt: string;
  readonly permission: PermissionAnswer;
  /** Recorded as golden traffic (test/replay/traffic). */
  readonly recorded: boolean;
  /** Called once the prompt is sent; the prompt itself ends the scenario. */
  readonly during?: (run: ScenarioRun) => Promise<void>;
  readonly check: (outcome: ScenarioOutcome) => Promise<readonly (string | false)[]> | readonly (string | false)[];
}

export interface ScenarioOutcome {
  readonly stopReason: unknown;
  /** All text the agent said. */
  readonly answer: string;
  /** Methods of the agent's requests, in order. */
  readonly asked: readonly string[];
  readonly workspace: string;
}

/** The file every scenario's workspace has. */
export const HELLO = 'line one\nmarker-BLUE here\nline three\n';
const FLOOD = { count: 1500, size: 40 };

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  text: {
    prompt:
      'think The person wants **Markdown**, so they get some.\nsay # A heading\\n\\nSome *text*, a list:\\n\\n- one\\n- two\\n\\n```js\\nconst a = 1;\\n```',
    permission: 'reject',
    recorded: true,
    check: (outcome) => [
      ...ended(outcome, 'end_turn'),
      !outcome.answer.includes('const a = 1;') && 'the code block is missing',
    ],
  },
  write: {
    prompt: 'say I will write the file.\nwrite {workspace}/notes.txt hello\\nworld\\n',
    permission: 'once',
    recorded: true,
    check: async (outcome) => [
      ...ended(outcome, 'end_turn'),
      !outcome.asked.includes('fs/write_text_file') && 'the client was not asked to write',
      !outcome.answer.includes('FINAL ok: Wrote file') &&
        `the tool's result did not reach the model: ${outcome.answer}`,
      (await content(outcome, 'notes.txt')) !== 'hello\nworld\n' && 'notes.txt is not as the model wrote it',
    ],
  },
  reject: {
    prompt: 'write {workspace}/notes.txt hello\\n',
    permission: 'reject',
    recorded: true,
    check: async (outcome) => [
      ...ended(outcome, 'end_turn'),
      outcome.asked.includes('fs/write_text_file') && 'the client was asked to write although the person rejected',
      (await content(outcome, 'notes.txt')) !== undefined && 'notes.txt was written although the person rejected',
    ],
  },
  edit: {
    prompt: 'read {workspace}/hello.txt\nedit {workspace}/hello.txt marker-BLUE => marker-RED',
    permission: 'once',
    recorded: true,
    check: async (outcome) => [
      ...ended(outcome, 'end_turn'),
      (await content(outcome, 'hello.txt')) !== HELLO.replace('BLUE', 'RED') && 'hello.txt was not edited',
    ],
  },
  shell: {
    prompt: 'shell echo from-the-shell',
    permission: 'once',
    recorded: true,
    check: (outcome) => [
      ...ended(outcome, 'end_turn'),
      !outcome.answer.includes('FINAL ok: from-the-shell') && `the output did not reach the model: ${outcome.answer}`,
    ],
  },
  cancel: {
    prompt: 'say Before the stop.\npause stop\nsay After the stop.',
    permission: 'reject',
    recorded: true,
    during: async ({ client, server, sessionId }) => {
      await server.reached('stop');
      await client.heard((entry) => answerText([entry]) !== '');
      client.notify('session/cancel', { sessionId });
    },
    check: (outcome) => [
      ...ended(outcome, 'cancelled'),
      outcome.answer !== 'Before the stop.' && `not only the text before the stop: ${outcome.answer}`,
    ],
  },
  cancelPermission: {
    prompt: 'write notes.txt hello\\n',
    permission: 'cancel',
    recorded: true,
    check: async (outcome) => [
      ...ended(outcome, 'cancelled'),
      (await content(outcome, 'notes.txt')) !== undefined && 'notes.txt was written although the turn was cancelled',
    ],
  },
  flood: {
    prompt: `say-many ${FLOOD.count} ${FLOOD.size}`,
    permission: 'reject',
    recorded: false,
    check: (outcome) => {
      const all = Array.from({ length: FLOOD.count }, (_, index) => manyChunk(index, FLOOD.size)).join('');
      return [...ended(outcome, 'end_turn'), !outcome.answer.startsWith(all) && 'not all chunks arrived in order'];
    },
  },
};

/** The text of all agent_message_chunk updates. */
export function answerText(wire: readonly WireEntry[]): string {
  return wire
    .map(
      ({ msg }) =>
        (msg['params'] as { update?: { sessionUpdate?: string; content?: { text?: string } } } | undefined)?.update,
    )
    .map((update) => (update?.sessionUpdate === 'agent_message_chunk' ? (update.content?.text ?? '') : ''))
    .join('');
}

/** Lays out the workspace of a scenario. */
export async function fillWorkspace(folder: string): Promise<void> {
  await writeFile(join(folder, 'hello.txt'), HELLO);
}

function ended(outcome: ScenarioOutcome, stopReason: string): readonly (string | false)[] {
  return [outcome.stopReason !== stopReason && `stopReason is ${String(outcome.stopReason)}, not ${stopReason}`];
}

async function content(outcome: ScenarioOutcome, name: string): Promise<string | undefined> {
  return readFile(join(outcome.workspace, name), 'utf8').catch(() => undefined);
}
