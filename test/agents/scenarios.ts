import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claudeQuirk } from '../../src/agent/quirks/claudeCodex';
import type { JsonObject } from '../../src/base/json';
import type { Deed, Quirks } from './catalog';
import { manyChunk } from './player';
import type { ModelServer } from './modelServer';
import type { RawClient, WireEntry } from './rawClient';

/** What the person answers to a permission request: an option of that kind, or nothing and cancels the turn instead. */
export type PermissionAnswer = 'allow_once' | 'allow_always' | 'reject_once' | 'cancel';

export interface ScenarioRun {
  readonly client: RawClient;
  readonly server: ModelServer;
  readonly sessionId: string;
}

/** One prompt to an agent, and what must be true afterwards. `check` returns complaints; none means passed. */
export interface Scenario {
  /** `{workspace}` stands for the workspace folder: models name files absolutely. */
  readonly prompt: string;
  readonly permission: PermissionAnswer;
  /** What the agent has to ask about, if it is one that asks about this. */
  readonly deed?: Deed | 'echo';
  /** How the session is opened again in a new process, after a first prompt (FIRST_PROMPT); a new one when absent. */
  readonly reopen?: 'load' | 'resume' | 'fork';
  /** Not recorded as golden traffic (test/replay/traffic). */
  readonly unrecorded?: true;
  /** The only agent of the scenario; all when absent. */
  readonly agent?: string;
  /** The `_meta` of `session/new`. */
  readonly meta?: JsonObject;
  /** Called after the answer to the prompt. */
  readonly after?: (run: ScenarioRun) => Promise<unknown>;
  /** Called once the prompt is sent; the prompt itself ends the scenario. */
  readonly during?: (run: ScenarioRun) => Promise<void>;
  readonly check: (outcome: Outcome) => Promise<readonly (string | false)[]> | readonly (string | false)[];
}

export interface Outcome {
  readonly quirks: Quirks;
  readonly stopReason: unknown;
  /** All text the agent said since the prompt. */
  readonly answer: string;
  /** Methods of the agent's requests, in order. */
  readonly asked: readonly string[];
  /** The bodies of the requests that the model got, as JSON. */
  readonly model: readonly string[];
  readonly workspace: string;
}

/** The file every scenario's workspace has. */
export const HELLO = 'line one\nmarker-BLUE here\nline three\n';
const FLOOD = { count: 1500, size: 40 };

/** What is said in a session that is opened again. */
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
      // cline's patches lose the last end of line.
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
    // The list of tasks is empty again.
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

/** The text of all updates of that kind. */
export function saidText(wire: readonly WireEntry[], kind = 'agent_message_chunk'): string {
  return wire.map(({ msg }) => updateText(msg, kind)).join('');
}

/** Lays out the workspace of a scenario. */
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

/** Ended well, and the tool's result reached the model. */
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
