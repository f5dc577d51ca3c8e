import assert from 'node:assert/strict';
import { asObject } from '../../../../src/base/json';
import type { JsonObject } from '../../../../src/base/json';
import { displayedValue } from '../../../../src/shared/state/configOptionState';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import { SessionBench } from '../sessionBench';

const choices = ['a', 'b', 'held', 'refused'].map((value) => ({ value, name: value.toUpperCase() }));
const select = (id: string, currentValue: string): JsonObject => ({
  id,
  name: id,
  category: id,
  type: 'select',
  currentValue,
  options: choices,
});
const configOptions = [
  select('mode', 'a'),
  { id: 'slider', name: 'Slider', type: 'slider', currentValue: 3 },
  { ...select('model', 'a'), options: [{ group: 'g', name: 'Group', options: choices }] },
  { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
];
const modes = { currentModeId: 'a', availableModes: choices.map(({ value, name }) => ({ id: value, name })) };
const models = { currentModelId: 'a', availableModels: choices.map(({ value, name }) => ({ modelId: value, name })) };

describe('choosing', function () {
  let bench: SessionBench;
  afterEach(() => bench.close());

  async function open(result: JsonObject, env: Record<string, string> = {}): Promise<void> {
    bench = await SessionBench.open({ env: { FAKE_NEW_RESULT: JSON.stringify(result), ...env } });
    await bench.session.chooseAgent('fake');
  }

  const shown = (): JsonObject =>
    Object.fromEntries(bench.session.state.selectors.map((selector) => [selector.id, displayedValue(selector)]));
  const sent = (method: string): unknown[] =>
    bench.received().flatMap((message) => {
      const { sessionId: _id, _meta, ...params } = asObject(message['params']) ?? {};
      return message['method'] === method ? [params] : [];
    });
  const notices = (): string[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'notice' ? [`${entry.title}: ${entry.text}`] : [],
    );

  it('prefers config options over modes and models, and skips unknown option types', async () => {
    await open({ configOptions, modes, models });
    assert.deepEqual(shown(), { mode: 'a', model: 'a', fast: false });
    assert.deepEqual(
      bench.session.state.selectors.map(({ source }) => source),
      ['config', 'config', 'config'],
    );
    const [, model] = bench.session.state.selectors;
    assert.equal(model?.kind === 'select' && model.groups[0]?.name, 'Group');
  });

  it('advertises booleans, plans, child sessions and other client capabilities', async () => {
    await open({});
    const [{ clientCapabilities }] = sent('initialize') as [{ clientCapabilities: JsonObject }];
    assert.deepEqual(clientCapabilities['session'], { configOptions: { boolean: {} }, notices: {}, compaction: {} });
    assert.deepEqual(clientCapabilities['plan'], {});
    assert.deepEqual(clientCapabilities['subagents'], {});
    assert.deepEqual(clientCapabilities['_meta'], { terminal_output: true });
  });

  it('sets a config option, a boolean, a mode and a model by its own method', async () => {
    await open({ configOptions });
    await bench.session.configOptions.choose('model', 'b');
    await bench.session.configOptions.choose('fast', true);
    assert.deepEqual(sent('session/set_config_option'), [
      { configId: 'model', value: 'b' },
      { configId: 'fast', type: 'boolean', value: true },
    ]);
    assert.deepEqual(shown(), { mode: 'a', model: 'b', fast: true });
    await bench.close();
    await open({ modes, models });
    await bench.session.configOptions.choose('mode', 'b');
    await bench.session.configOptions.choose('model', 'b');
    assert.deepEqual(sent('session/set_mode'), [{ modeId: 'b' }]);
    assert.deepEqual(sent('session/set_model'), [{ modelId: 'b' }]);
    assert.deepEqual(shown(), { mode: 'b', model: 'b' });
    assert.ok(bench.session.state.selectors.every(({ wanted }) => wanted === undefined));
  });

  it('shows a new value immediately, and reverts it with the reason if it is rejected', async () => {
    await open({ configOptions });
    const chosen = bench.session.configOptions.choose('mode', 'refused');
    assert.equal(shown()['mode'], 'refused');
    await chosen;
    assert.equal(shown()['mode'], 'a');
    assert.deepEqual(notices(), ['mode was not changed: This choice is refused']);
  });

  it('keeps the last of several values, in any order of the responses', async () => {
    await open({ configOptions });
    const late = bench.session.configOptions.choose('mode', 'held');
    await Promise.all([late, bench.session.configOptions.choose('mode', 'b')]);
    assert.equal(shown()['mode'], 'b');
    await bench.close();
    await open({ modes });
    const lateMode = bench.session.configOptions.choose('mode', 'held');
    await Promise.all([lateMode, bench.session.configOptions.choose('mode', 'b')]);
    assert.equal(shown()['mode'], 'b');
  });

  it('restores the values in order, before the prompt, after Restart Agent', async () => {
    await open({ configOptions });
    await bench.session.configOptions.choose('model', 'b');
    await bench.session.configOptions.choose('mode', 'b');
    await bench.session.restart();
    await bench.send('text again');
    assert.deepEqual(shown(), { mode: 'b', model: 'b', fast: false });
    const methods = bench.received().map(({ method }) => method);
    assert.deepEqual(methods.slice(methods.lastIndexOf('session/new')), [
      'session/new',
      'session/set_config_option',
      'session/set_config_option',
      'session/prompt',
    ]);
    assert.deepEqual(
      sent('session/set_config_option').map((params) => (params as JsonObject)['configId']),
      ['model', 'mode', 'model', 'mode'],
    );
  });

  it('restores the values after a reload', async () => {
    await open({ modes });
    await bench.session.configOptions.choose('mode', 'b');
    await bench.send('text hello');
    await bench.closeWindow();
    bench = await SessionBench.open({ folder: bench.folder, env: { FAKE_NEW_RESULT: JSON.stringify({ modes }) } });
    await bench.send('text again');
    assert.deepEqual(sent('session/set_mode'), [{ modeId: 'b' }, { modeId: 'b' }]);
    assert.deepEqual(shown(), { mode: 'b' });
  });

  it('drops a value that the agent has changed since, and keeps it if another is rejected', async () => {
    await open({ modes });
    await bench.session.configOptions.choose('mode', 'b');
    await bench.send('session-update {"sessionUpdate":"current_mode_update","currentModeId":"a"}');
    await bench.session.restart();
    assert.deepEqual(sent('session/set_mode'), [{ modeId: 'b' }]);
    await bench.session.configOptions.choose('mode', 'b');
    await bench.session.configOptions.choose('mode', 'refused');
    await bench.session.restart();
    await bench.send('text again');
    assert.deepEqual(sent('session/set_mode').slice(1), [{ modeId: 'b' }, { modeId: 'refused' }, { modeId: 'b' }]);
  });

  it('sends nothing for a value or an option that is not offered', async () => {
    await open({ configOptions });
    await bench.session.configOptions.choose('mode', 'nope');
    await bench.session.configOptions.choose('fast', 'true');
    await bench.session.configOptions.choose('slider', '3');
    await bench.session.configOptions.choose('mode', 'a');
    assert.deepEqual(sent('session/set_config_option'), []);
  });

  it('is possible while a turn runs', async () => {
    await open({ configOptions });
    const turn = bench.send('text working', 'until-cancel');
    await bench.until((state) => state.entries.count > 1);
    await bench.session.configOptions.choose('mode', 'b');
    assert.equal(shown()['mode'], 'b');
    bench.session.turn.stop();
    await turn;
  });

  it('applies updates of the agent: a new list, a mode change', async () => {
    await open({ configOptions });
    await bench.send(
      `session-update ${JSON.stringify({ sessionUpdate: 'config_option_update', configOptions: [select('mode', 'b')] })}`,
    );
    assert.deepEqual(shown(), { mode: 'b' });
    await bench.send('session-update {"sessionUpdate":"current_mode_update","currentModeId":"a"}');
    assert.deepEqual(shown(), { mode: 'a' });
    await bench.send('session-update {"sessionUpdate":"current_mode_update","currentModeId":"unknown"}');
    assert.deepEqual(shown(), { mode: 'a' });
  });

  it('removes options and commands of the previous agent', async () => {
    const update = { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'x', description: '' }] };
    await open({ configOptions }, { FAKE_UPDATE_AFTER_NEW: JSON.stringify(update) });
    await bench.until((state) => state.commands.length > 0);
    await bench.session.chooseAgent('nobody');
    assert.deepEqual([bench.session.state.selectors, bench.session.state.commands], [[], []]);
  });

  it('removes options of an exited agent, and reverts unconfirmed values', async () => {
    await open({ configOptions });
    const turn = bench.send('exit 3');
    await bench.session.configOptions.choose('mode', 'held');
    await turn;
    assert.deepEqual(bench.session.state.selectors, []);
  });
});

describe('the echo of a prompt', function () {
  let bench: SessionBench;
  afterEach(() => bench.close());
  const echo = (text: string): string =>
    `session-update ${JSON.stringify({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } })}`;

  it('is omitted, whole or in chunks; other user text is shown', async () => {
    bench = await SessionBench.open();
    // The prompt is its own script, so its echo consists of its beginning.
    await bench.send('# go', 'text hi', echo('# go\ntext'), echo(' hi'), echo('somebody else'));
    const users = Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'user' ? [entry.text] : [],
    );
    assert.equal(users.length, 2);
    assert.equal(users[1], 'somebody else');
  });
});

describe('child sessions', function () {
  let bench: SessionBench;
  afterEach(() => bench.close());
  const onChild = (update: JsonObject): string =>
    `notify session/update ${JSON.stringify({ sessionId: 'child-1', update })}`;
  const text = (words: string): JsonObject => ({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: words },
  });
  const told = (fields: JsonObject): string =>
    `session-update ${JSON.stringify({ sessionUpdate: 'subagent_update', sessionId: 'child-1', ...fields })}`;

  it('have their own transcript, including updates before their announcement', async () => {
    bench = await SessionBench.open();
    await bench.send(
      onChild(text('early ')),
      told({ title: 'Docs', state: { state: 'running' }, capabilities: { cancel: {} } }),
      onChild(text('and late')),
      onChild({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read', status: 'in_progress' }),
      onChild({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }),
      told({ state: { state: 'idle', stopReason: 'end_turn' } }),
      'text done',
    );
    assert.match(
      bench.text,
      /\[subagent\] Docs: idle\n {4}\[agent\]\n {6}early and late\n {4}\[tool other\] Read: Done/,
    );
    assert.match(bench.text, /\[agent\]\n {2}done/);
  });

  it('can be nested, ask through the top session, and have Stop only if the agent supports it', async () => {
    bench = await SessionBench.open();
    const grandchild = {
      sessionUpdate: 'subagent_update',
      sessionId: 'child-2',
      title: 'Inner',
      capabilities: { cancel: {} },
    };
    const turn = bench.send(
      told({ title: 'Outer', state: { state: 'running' } }),
      onChild(grandchild),
      `notify session/update ${JSON.stringify({ sessionId: 'child-2', update: text('deep') })}`,
      `request session/request_permission ${JSON.stringify({
        sessionId: 'child-2',
        toolCall: { toolCallId: 'x', title: 'Delete it' },
        options: [{ optionId: 'ok', name: 'OK', kind: 'allow_once' }],
      })}`,
    );
    await bench.until((state) => state.waiting.length > 0);
    bench.session.stopSubagent('child-1');
    bench.session.stopSubagent('nobody');
    bench.session.stopSubagent('child-2');
    const asked = Array.from(entriesFrom(bench.session.state.entries)).find(([, entry]) => entry.kind === 'permission');
    assert.ok(asked?.[1].kind === 'permission');
    bench.session.userRequests.answer(asked[1].permissionId, 'ok');
    await turn;
    assert.match(bench.text, /\[subagent\] Outer: .*\n {4}\[subagent\] Inner: .*\n {8}\[agent\]\n {10}deep/);
    const stops = bench.received().filter(({ method }) => method === 'session/cancel');
    assert.deepEqual(
      stops.map(({ params }) => asObject(params)?.['sessionId']),
      ['child-2'],
    );
  });

  it('end when the turn is stopped', async () => {
    bench = await SessionBench.open();
    const turn = bench.send(told({ title: 'Docs', state: { state: 'running' } }), 'until-cancel', 'text never');
    await bench.until((state) => state.entries.count > 1);
    bench.session.turn.stop();
    await turn;
    const [, entry] = Array.from(entriesFrom(bench.session.state.entries))[1] ?? [];
    assert.ok(entry?.kind === 'subagent');
    assert.equal(entry.child.turn.status, 'idle');
    assert.equal(entry.stopReason, 'cancelled');
  });
});
