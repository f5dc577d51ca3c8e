import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/base/json';
import { entriesFrom, entryAt } from '../../../src/shared/state/entryPages';
import type { ToolEntry } from '../../../src/shared/state/toolCallState';
import { SessionBench } from './sessionBench';

const options = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];
const ask = (toolCall: JsonObject): string =>
  `request session/request_permission ${JSON.stringify({ sessionId: '$SESSION', toolCall, options })}`;
const tell = (sessionUpdate: string, fields: JsonObject): string =>
  `session-update ${JSON.stringify({ sessionUpdate, ...fields })}`;
const run = (command: string): JsonObject => ({ title: command, kind: 'execute', rawInput: { command } });

describe('tool call ids that agents use more than once', () => {
  let bench: SessionBench;
  before(async () => {
    bench = await SessionBench.open();
  });
  beforeEach(() => bench.startOver());
  after(() => bench.close());

  function tools(): ToolEntry[] {
    const entries = Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry);
    return entries.filter((entry): entry is ToolEntry => entry.kind === 'tool');
  }
  const shown = (): string[] => tools().map(({ title, status }) => `${title}: ${status}`);

  /** Plays a turn and answers its questions in their order. */
  async function play(answers: readonly string[], ...script: string[]): Promise<void> {
    const turn = bench.send(...script);
    for (const answer of answers) {
      await bench.until(({ waiting }) => waiting.length > 0);
      const { entries, waiting } = bench.session.state;
      const question = entryAt(entries, waiting[0] ?? -1);
      assert.ok(question?.kind === 'permission');
      bench.session.userRequests.answer(question.permissionId, answer);
    }
    await turn;
  }

  it('show each question of one id as its own call', async () => {
    const id = { toolCallId: 'shell-permission' };
    const questions = ['make walnut', 'make hazel', 'make rowan'].map((line) => ask({ ...id, ...run(line) }));
    await play(['allow', 'reject', 'allow'], ...questions);
    assert.deepEqual(shown(), ['make walnut: done', 'make hazel: rejected', 'make rowan: done']);
    assert.deepEqual(
      tools().map(({ rawInput }) => rawInput),
      [{ command: 'make walnut' }, { command: 'make hazel' }, { command: 'make rowan' }],
    );
  });

  it('show the same question, asked again, as its own call', async () => {
    const question = ask({ toolCallId: 'p', ...run('make walnut') });
    await play(['reject', 'allow', 'reject'], question, question, question);
    assert.deepEqual(shown(), ['make walnut: rejected', 'make walnut: done', 'make walnut: rejected']);
  });

  it('show questions that have nothing but titles or ids', async () => {
    const titles = ['Run walnut', 'Run hazel'].map((title) => ask({ toolCallId: 'p', title }));
    await play(['allow', 'reject', 'reject', 'allow'], ...titles, ask({ toolCallId: 'p' }), ask({}));
    assert.deepEqual(shown(), ['Run walnut: done', 'Run hazel: rejected', 'Run hazel: rejected', 'Permission: done']);
  });

  it('show questions that wait at the same time as calls of their own', async () => {
    const id = { toolCallId: 'p' };
    const questions = ['make walnut', 'make hazel'].map((line) => ask({ ...id, ...run(line) }));
    await play(['allow', 'reject'], 'burst', ...questions, 'end');
    assert.deepEqual(shown(), ['make walnut: done', 'make hazel: rejected']);
  });

  it('ask about an announced call in its card, also in stages', async () => {
    const call = { toolCallId: 't1', ...run('make walnut') };
    const folder = { toolCallId: 't1', title: 'external_directory', rawInput: { path: '/elsewhere' } };
    await play(
      ['allow', 'allow'],
      tell('tool_call', { ...call, status: 'pending' }),
      ask(folder),
      ask(call),
      tell('tool_call_update', { toolCallId: 't1', status: 'completed' }),
    );
    assert.deepEqual(shown(), ['make walnut: done']);
  });

  it('ask again about an announced call in its card', async () => {
    const call = { toolCallId: 't1', ...run('make walnut') };
    const again = ask({ toolCallId: 't1', title: 'make walnut' });
    await play(
      ['allow', 'allow', 'reject'],
      tell('tool_call', { ...call, status: 'pending' }),
      ask(call),
      again,
      again,
    );
    assert.deepEqual(shown(), ['make walnut: rejected']);
  });

  it('give the end of an allowed call to it and not to a rejected one', async () => {
    const id = { toolCallId: 'p' };
    await play(
      ['allow', 'reject'],
      ask({ ...id, ...run('make walnut') }),
      ask({ ...id, ...run('make hazel') }),
      tell('tool_call_update', { ...id, status: 'failed' }),
      tell('tool_call_update', { ...id, status: 'completed', rawOutput: 'walnut is made' }),
    );
    assert.deepEqual(shown(), ['make walnut: done', 'make hazel: rejected']);
    assert.equal(tools()[0]?.rawOutput, 'walnut is made');
  });

  it('show a call that is announced twice in a turn as two', async () => {
    const announce = (line: string): string => tell('tool_call', { toolCallId: 't', status: 'pending', ...run(line) });
    const end = (output: string): string =>
      tell('tool_call_update', { toolCallId: 't', status: 'completed', rawOutput: output });
    await play([], announce('make walnut'), end('one'), announce('make walnut'), end('two'));
    await play([], announce('make hazel'), announce('make rowan'), end('three'), end('four'));
    assert.deepEqual(shown(), ['make walnut: done', 'make walnut: done', 'make hazel: done', 'make rowan: done']);
    assert.deepEqual(
      tools().map(({ rawOutput }) => rawOutput),
      ['one', 'two', 'four', 'three'],
    );
  });

  it('give an update to the open call that it names', async () => {
    const call = { toolCallId: 't', status: 'pending' };
    const end = { toolCallId: 't', status: 'completed' };
    await play(
      [],
      tell('tool_call', { ...call, ...run('make walnut') }),
      tell('tool_call', { ...call, ...run('make hazel') }),
      tell('tool_call_update', { ...end, title: 'make walnut', rawOutput: 'walnut is made' }),
      tell('tool_call_update', { ...end, title: 'make hazel, done', rawOutput: 'hazel is made' }),
    );
    assert.deepEqual(
      tools().map(({ title, rawOutput }) => [title, rawOutput]),
      [
        ['make walnut', 'walnut is made'],
        ['make hazel, done', 'hazel is made'],
      ],
    );
  });

  it('show ended calls that are announced with other outcomes as two', async () => {
    const read = { toolCallId: 't', title: 'Read', kind: 'read' };
    const content = (text: string): JsonObject => ({ content: [{ type: 'content', content: { type: 'text', text } }] });
    await play(
      [],
      tell('tool_call', { ...read, status: 'completed', rawOutput: 'one' }),
      tell('tool_call', { ...read, status: 'completed', rawOutput: 'two' }),
      tell('tool_call', { ...read, status: 'failed' }),
      tell('tool_call', { ...read, title: 'Peel', status: 'completed', ...content('three') }),
      tell('tool_call', { ...read, title: 'Peel', status: 'completed', ...content('three and more') }),
      tell('tool_call', { ...read, title: 'Peel', status: 'completed', ...content('four') }),
    );
    assert.deepEqual(shown(), ['Read: done', 'Read: done', 'Read: failed', 'Peel: done', 'Peel: done']);
    assert.deepEqual(
      tools().map(({ rawOutput }) => rawOutput),
      ['one', 'two', undefined, undefined, undefined],
    );
  });

  it('keep one card where tool_call is sent again with another status or longer input', async () => {
    const announce = (status: string, command: string): string =>
      tell('tool_call', { toolCallId: 't', status, title: 'Shell', rawInput: { command } });
    await play([], announce('pending', 'ma'), announce('in_progress', 'make'), announce('completed', 'make'));
    assert.deepEqual(shown(), ['Shell: done']);
  });

  it('show an id of an earlier turn as a new call, whatever mentions it first', async () => {
    const call = { toolCallId: 't1', ...run('make walnut') };
    await play(['reject'], ask(call));
    await play(['allow'], ask(call), tell('tool_call_update', { toolCallId: 't1', status: 'completed' }));
    await play([], tell('tool_call_update', { toolCallId: 't1', status: 'in_progress', ...run('make hazel') }));
    assert.deepEqual(shown(), ['make walnut: rejected', 'make walnut: done', 'make hazel: done']);
  });

  it('may be missing or numbers', async () => {
    await play(
      [],
      tell('tool_call', { status: 'pending', ...run('make walnut') }),
      tell('tool_call_update', { status: 'completed', rawOutput: 'made' }),
      tell('tool_call', { status: 'pending', ...run('make hazel') }),
      tell('tool_call', { toolCallId: 7, status: 'pending', ...run('make rowan') }),
      tell('tool_call_update', { toolCallId: 7, status: 'failed' }),
    );
    assert.deepEqual(shown(), ['make walnut: done', 'make hazel: done', 'make rowan: failed']);
    assert.equal(tools()[0]?.rawOutput, 'made');
  });
});
