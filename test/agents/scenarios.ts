import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claudeQuirk } from '../../src/agent/quirks/agentQuirks';
import type { JsonObject } from '../../src/base/json';
import type { Deed, Quirks } from './catalog';
import type { ModelServer } from './modelServer';
import { manyChunk } from './player';
import type { RawClient, WireEntry } from './rawClient';

/** The user's decision on a permission request: an option of that kind, or undefined to cancel the turn. */
export type PermissionAnswer = 'allow_once' | 'allow_always' | 'reject_once' | 'cancel';

export interface ScenarioRun {
  readonly client: RawClient;
  readonly server: ModelServer;
  readonly sessionId: string;
}

/** One prompt to an agent, and the expected result. `check` returns complaints; an empty list means success. */
export interface Scenario {
  /** `{workspace}` is replaced by the workspace folder, because models use absolute paths. */
  readonly prompt: string;
  readonly permission: PermissionAnswer;
  /** The operation that requires permission, for agents that ask about it. */
  readonly deed?: Deed | 'echo';
  /** How the session is reopened in a new process after a first prompt (FIRST_PROMPT). Default: a new session. */
  readonly reopen?: 'load' | 'resume' | 'fork';
  /** Not recorded in test/replay/traffic. */
  readonly unrecorded?: true;
  /** The only agent of the scenario. Default: all agents. */
  readonly agent?: string;
  /** The `_meta` of `session/new`. */
  readonly meta?: JsonObject;
  /** Called after the response to the prompt. */
  readonly after?: (run: ScenarioRun) => Promise<unknown>;
  /** Called once the prompt is sent; the scenario ends with the prompt. */
  readonly during?: (run: ScenarioRun) => Promise<void>;
  readonly check: (outcome: Outcome) => Promise<readonly (string | false)[]> | readonly (string | false)[];
}

export interface Outcome {
  readonly quirks: Quirks;
  readonly stopReason: unknown;
  /** All message text of the agent since the prompt. */
  readonly answer: string;
  /** Methods of the agent's requests, in order. */
  readonly asked: readonly string[];
  /** Bodies of the model requests, as JSON. */
  readonly model: readonly string[];
  readonly workspace: string;
}

/** A file in the workspace of every scenario. */
export const HELLO = 'line one\nmarker-BLUE here\nline three\n';
const FLOOD = { count: 1500, size: 40 };

/** The first prompt of a session that is reopened. */
export const FIRST_PROMPT = 'think A first thought.\nsay First-answer.\nread {workspace}/hello.txt';
export const FIRST_ANSWER = 'First-answer.';

const WRITE = 'write {workspace}/notes.txt hello\\n';

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  text: {
    prompt:
      'think The person wants **Markdown**, so they get some.\nsay # A heading\\n\\nSome *text*, a list:\\n\\n- one\\n- two\\n\\n```js\\nconst a = 1;\\n```',
    permission: 'reject_once',
    check: (outcome) => [
      ...ended(outcome, 'end_turn'),
      !outcome.answer.includes('const a = 1;') && 'the code block is missing',
    ],
  },
  read: {
    prompt: 'read {workspace}/hello.txt',
    permission: 'allow_once',
    deed: 'read',
    check: (outcome) => [
      ...done(outcome),
      !outcome.model.some((body) => body.includes('marker-BLUE')) && 'the text of the file did not reach the model',
    ],
  },
  write: {
    prompt: 'say I will write the file.\nwrite {workspace}/notes.txt hello\\nworld\\n',
    permission: 'allow_once',
    deed: 'write',
    check: async (outcome) => [
      ...done(outcome),
      outcome.asked.includes('fs/write_text_file') !== outcome.quirks.byClient.includes('write') &&
        `fs/write_text_file is not as known: ${outcome.asked.join(', ')}`,
      // cline's patches drop the last end of line.
      (await content(outcome, 'notes.txt'))?.trimEnd() !== 'hello\nworld' && 'notes.txt is not as the model wrote it',
    ],
  },
  edit: {
    prompt: 'read {workspace}/hello.txt\nedit {workspace}/hello.txt marker-BLUE here => marker-RED here',
    permission: 'allow_once',
    deed: 'edit',
    check: async (outcome) => [
      ...done(outcome),
      (await content(outcome, 'hello.txt')) !== HELLO.replace('BLUE', 'RED') && 'hello.txt was not edited',
    ],
  },
  shell: {
    prompt: 'shell echo from-the-shell',
    permission: 'allow_once',
    deed: 'echo',
    check: (outcome) => [
      ...done(outcome),
      !outcome.answer.includes('from-the-shell') && `the output did not reach the model: ${outcome.answer}`,
    ],
  },
  reject: {
    prompt: WRITE,
    permission: 'reject_once',
    deed: 'write',
    check: async (outcome) => [
      ...ended(outcome, outcome.quirks.rejectEnds),
      outcome.asked.includes('fs/write_text_file') && 'the client was asked to write although the person rejected',
      (await content(outcome, 'notes.txt')) !== undefined && 'notes.txt was written although the person rejected',
    ],
  },
  always: {
    prompt: 'write {workspace}/one.txt 1\\n\nwrite {workspace}/two.txt 2\\n',
    permission: 'allow_always',
    deed: 'write',
    check: async (outcome) => [
      ...done(outcome),
      (await content(outcome, 'one.txt'))?.trimEnd() !== '1' && 'one.txt is not as the model wrote it',
      (await content(outcome, 'two.txt'))?.trimEnd() !== '2' && 'two.txt is not as the model wrote it',
      ...times(outcome.asked, 'session/request_permission', outcome.quirks.remembers ? 1 : 2),
    ],
  },
  cancel: {
    prompt: 'say Before the stop.\npause stop\nsay After the stop.',
    permission: 'reject_once',
    during: async ({ client, server, sessionId }) => {
      await server.reached('stop');
      await client.heard(({ dir, msg }) => dir === 'in' && updateText(msg, 'agent_message_chunk') !== '');
      client.notify('session/cancel', { sessionId });
    },
    check: (outcome) => [
      ...ended(outcome, 'cancelled'),
      !'Before the stop.'.startsWith(outcome.answer.trim()) && `not only the text before the stop: ${outcome.answer}`,
    ],
  },
  cancelPermission: {
    prompt: WRITE,
    permission: 'cancel',
    deed: 'write',
    check: async (outcome) => [
      ...ended(outcome, 'cancelled'),
      (await content(outcome, 'notes.txt')) !== undefined && 'notes.txt was written although the turn was cancelled',
    ],
  },
  background: {
    agent: 'claude',
    meta: claudeQuirk.sessionMeta ?? {},
    prompt: 'tool Bash {"command":"sleep 3","description":"Waits","run_in_background":true}',
    permission: 'allow_once',
    // The task list is empty again.
    after: ({ client }) => client.heard(({ dir, msg }) => dir === 'in' && JSON.stringify(msg).includes('"tasks":[]')),
    check: (outcome) => done(outcome),
  },
  load: { ...reopened(), reopen: 'load' },
  resume: { ...reopened(), reopen: 'resume' },
  fork: { ...reopened(), reopen: 'fork' },
  flood: {
    prompt: `say-many ${FLOOD.count} ${FLOOD.size}`,
    permission: 'reject_once',
    unrecorded: true,
    check: (outcome) => {
      const all = Array.from({ length: FLOOD.count }, (_, index) => manyChunk(index, FLOOD.size)).join('');
      return [...ended(outcome, 'end_turn'), !outcome.answer.includes(all) && 'not all chunks arrived in order'];
    },
  },
};

/** Concatenated text of all updates of that kind. */
export function saidText(wire: readonly WireEntry[], kind = 'agent_message_chunk'): string {
  return wire.map(({ msg }) => updateText(msg, kind)).join('');
}

/** Creates the workspace of a scenario. */
export async function fillWorkspace(folder: string): Promise<void> {
  await writeFile(join(folder, 'hello.txt'), HELLO);
}

function reopened(): Scenario {
  return {
    prompt: 'say Second-answer.',
    permission: 'allow_once',
    check: (outcome) => [
      ...ended(outcome, 'end_turn'),
      !outcome.answer.includes('Second-answer.') && `the second answer is missing: ${outcome.answer}`,
      !outcome.model.at(-1)?.includes(FIRST_ANSWER) && 'the history did not reach the model',
    ],
  };
}

function updateText(msg: WireEntry['msg'], kind: string): string {
  const params = msg['params'] as { update?: { sessionUpdate?: string; content?: { text?: string } } } | undefined;
  return params?.update?.sessionUpdate === kind ? (params.update.content?.text ?? '') : '';
}

function ended(outcome: Outcome, stopReason: string): readonly (string | false)[] {
  return [
    outcome.stopReason !== stopReason && `stopReason is ${String(outcome.stopReason)}, not ${stopReason}`,
    outcome.answer.includes('FINAL failed') && outcome.answer,
  ];
}

/** The turn ended normally, and the tool result reached the model. */
function done(outcome: Outcome): readonly (string | false)[] {
  return [
    ...ended(outcome, 'end_turn'),
    !outcome.answer.includes('FINAL ok') && `the model's last text is missing: ${outcome.answer}`,
  ];
}

function times(asked: readonly string[], method: string, wanted: number): readonly (string | false)[] {
  const count = asked.filter((name) => name === method).length;
  return [count !== wanted && `${method} came ${count} times, not ${wanted}`];
}

async function content(outcome: Outcome, name: string): Promise<string | undefined> {
  return readFile(join(outcome.workspace, name), 'utf8').catch(() => undefined);
}
