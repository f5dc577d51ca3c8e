import assert from 'node:assert/strict';
import { join } from 'node:path';
import { asObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import { nullLogger } from '../../../src/base/logger';
import { WorkspaceStateFile } from '../../../src/node/fs/workspaceStateFile';
import { LAST_VIEWED_KEY, readLastViewed } from '../../../src/session/lastViewedSession';
import { trackViewedSession } from '../../../src/session/trackViewedSession';
import { displayedValue } from '../../../src/shared/state/configOptionState';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { Preset } from '../../../src/shared/state/preset';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { SessionBench } from './sessionBench';

const select = (id: string, name: string, values: readonly string[]): JsonObject => ({
  id,
  name,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: `The ${value}` })),
});
const configOptions = [
  select('m1', 'Model', ['small', 'large', 'refused']),
  select('mode', 'Mode', ['ask', 'plan']),
  { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
];
const WITH_PROMPT = JSON.stringify({ sessionCapabilities: { systemPrompt: {} } });
const WITHOUT_PROMPT = JSON.stringify({ promptCapabilities: { embeddedContext: true } });

describe('session: presets', function () {
  let bench: SessionBench;
  afterEach(() => bench.close());

  async function open(env: Record<string, string> = {}): Promise<void> {
    bench = await SessionBench.open({ env: { FAKE_NEW_RESULT: JSON.stringify({ configOptions }), ...env } });
  }
  const choose = (preset: Partial<Preset>): Promise<void> =>
    bench.session.choosePreset({ name: 'Deep work', agent: 'fake', ...preset });
  const shown = (): JsonObject =>
    Object.fromEntries(bench.session.state.selectors.map((option) => [option.id, displayedValue(option)]));
  const sent = (method: string): JsonObject[] =>
    bench.received().flatMap((message) => (message['method'] === method ? [asObject(message['params']) ?? {}] : []));
  const notices = (): string[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'notice' ? [`${entry.title}: ${entry.text}`] : [],
    );
  const prompts = (): unknown[] => sent('session/prompt').map(({ prompt }) => prompt);
  const instructions = {
    type: 'resource',
    resource: {
      uri: 'parley:instructions.md',
      text: 'Instructions of the user for this session:\n\nBe short.',
      mimeType: 'text/markdown',
    },
  };

  it('sets options by id or name, values by id or name, before the first message', async () => {
    await open();
    await choose({ options: { model: 'the LARGE', mode: 'plan', Fast: true } });
    await bench.send('text hello');
    assert.deepEqual(shown(), { m1: 'large', mode: 'plan', fast: true });
    const methods = bench.methods();
    assert.deepEqual(methods.slice(methods.indexOf('session/new')), [
      'session/new',
      ...Array.from({ length: 3 }, () => 'session/set_config_option'),
      'session/prompt',
    ]);
    assert.deepEqual(notices(), []);
  });

  it('names what the agent does not have, and keeps the rest', async () => {
    await open();
    await choose({ options: { Effort: 'high', model: 'gone\u202e', mode: 'plan', fast: 'yes' } });
    await bench.send('text hello');
    assert.deepEqual(shown(), { m1: 'small', mode: 'plan', fast: false });
    assert.deepEqual(notices(), [
      'Some options of the preset “Deep work” were not set: The agent has no option “Effort”. ' +
        'The option “Model” has no value “gone\\u{202e}”. The option “Fast” has no value “yes”.',
    ]);
    await bench.session.restart();
    await bench.send('text again');
    assert.equal(notices().filter((text) => text.startsWith('Some options')).length, 1);
  });

  it('names all options of an agent that has none', async () => {
    await open({ FAKE_NEW_RESULT: '{}' });
    await choose({ options: { mode: 'plan' } });
    await bench.send('text hello');
    assert.match(notices().join(), /The agent has no option “mode”/);
  });

  it('says why the agent refuses a value', async () => {
    await open();
    await choose({ options: { Model: 'refused', mode: 'plan' } });
    await bench.send('text hello');
    assert.deepEqual(notices(), ['Model was not changed: This choice is refused']);
    assert.equal(shown()['mode'], 'plan');
  });

  it('sets the values again in a new session of the agent, except those that the user has changed', async () => {
    await open();
    await choose({ options: { Model: 'large', mode: 'plan' } });
    await bench.until(({ choices }) => choices?.['mode'] === 'plan');
    await bench.session.configOptions.choose('mode', 'ask');
    await bench.send('text hello');
    await bench.session.restart();
    await bench.send('text again');
    assert.deepEqual(shown(), { m1: 'large', mode: 'ask', fast: false });
    assert.equal(sent('session/new').length, 2);
  });

  it('sends instructions as the system prompt where the agent offers that, also when it resumes the session', async () => {
    const capabilities = JSON.stringify({ sessionCapabilities: { systemPrompt: {}, resume: {} } });
    await open({ FAKE_CAPABILITIES: capabilities });
    await choose({ instructions: 'Be short.' });
    await bench.send('text hello');
    await bench.session.restart();
    await bench.send('text again');
    const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'Be short.' }] };
    const asked = [...sent('session/new'), ...sent('session/resume')];
    assert.deepEqual(
      [...new Set(asked.map((params) => JSON.stringify(params['systemPrompt'])))],
      [JSON.stringify(systemPrompt)],
    );
    assert.equal(asked.length >= 2, true);
    assert.doesNotMatch(JSON.stringify(prompts()), /instructions/i);
  });

  it('else sends them in front of the first message, as a resource that the transcript shows', async () => {
    await open({ FAKE_CAPABILITIES: WITHOUT_PROMPT });
    await choose({ instructions: 'Be short.' });
    await bench.send('text hello');
    await bench.send('text again');
    assert.equal(sent('session/new')[0]?.['systemPrompt'], undefined);
    assert.deepEqual(prompts(), [
      [instructions, { type: 'text', text: 'text hello' }],
      [{ type: 'text', text: 'text again' }],
    ]);
    const [, message] = Array.from(entriesFrom(bench.session.state.entries))[0] ?? [];
    const { type, resource } = instructions;
    assert.deepEqual(message?.kind === 'user' && [message.text, message.blocks], [
      'text hello',
      [{ type, ...resource }],
    ]);
    // A new session of the agent does not know them.
    await bench.session.restart();
    await bench.send('text third');
    assert.deepEqual(prompts().at(-1), [instructions, { type: 'text', text: 'text third' }]);
  });

  it('sends them behind a command, as text to an agent without resources, and once to a retried message', async () => {
    await open({ FAKE_CAPABILITIES: JSON.stringify({ promptCapabilities: {} }) });
    await choose({ instructions: 'Be short.' });
    await bench.send('/init', 'error -32603 Overloaded');
    const text = 'instructions.md:\n\nInstructions of the user for this session:\n\nBe short.';
    const first = [
      { type: 'text', text: '/init\nerror -32603 Overloaded' },
      { type: 'text', text },
    ];
    assert.deepEqual(prompts(), [first]);
    await bench.session.retry();
    assert.deepEqual(prompts(), [first, first]);
  });

  it('keeps them after a reload, whatever the settings say then', async () => {
    await open({ FAKE_CAPABILITIES: WITH_PROMPT });
    const preset = { options: { mode: 'plan' }, tools: { allow: [], deny: ['code__*'] }, instructions: 'Be short.' };
    await choose(preset);
    await bench.send('text hello');
    const { folder } = bench;
    await bench.closeWindow();
    bench = await SessionBench.open({ folder, env: { FAKE_CAPABILITIES: WITH_PROMPT } });
    assert.deepEqual(bench.session.state.preset, { name: 'Deep work', agent: 'fake', ...preset });
    await bench.send('text again');
    assert.equal(sent('session/new').length, 2);
    assert.match(JSON.stringify(sent('session/new')), /systemPrompt.*systemPrompt/);
  });

  it('stays that of a chat without messages after a reload, as the settings have it then', async () => {
    await open();
    const state = await WorkspaceStateFile.open(join(bench.folder, 'state.json'), nullLogger);
    const tracking = trackViewedSession(bench.sessions, state);
    await choose({ instructions: 'Be short.' });
    tracking.dispose();
    const { folder } = bench;
    await bench.closeWindow();
    const changed: Preset = { name: 'Deep work', agent: 'fake', instructions: 'Be long.' };
    const inView = readLastViewed(state.get(LAST_VIEWED_KEY));
    bench = await SessionBench.open({ folder, sessions: { inView, presets: () => [changed] } });
    assert.deepEqual(bench.session.state.preset, changed);
    assert.equal(sent('session/new').length, 1, 'the agent starts with the first key');
    await bench.send('text hello');
    assert.match(JSON.stringify(prompts().at(-1)), /Be long/);
  });

  it('gives a fork what its source has', async () => {
    const sessionCapabilities = { systemPrompt: {}, fork: {}, load: {}, resume: {} };
    await open({ FAKE_CAPABILITIES: JSON.stringify({ sessionCapabilities }), FAKE_STORE: temporaryFolder() });
    await choose({ instructions: 'Be short.', tools: { allow: [], deny: ['code__*'] } });
    await bench.send('text hello');
    const fork = await bench.catalog.fork(bench.session.id);
    assert.match(JSON.stringify(sent('session/fork')), /"systemPrompt":.*Be short/);
    assert.deepEqual(fork.state.preset?.tools, { allow: [], deny: ['code__*'] });
  });

  it('opens another session of the agent for another preset, for the agent alone, and for a new chat', async () => {
    await open({ FAKE_CAPABILITIES: WITH_PROMPT });
    await bench.session.chooseAgent('fake');
    await bench.session.configOptions.choose('mode', 'plan');
    await choose({ instructions: 'One' });
    await choose({ name: 'Other', instructions: 'Two', options: { Model: 'large' } });
    await bench.session.chooseAgent('fake');
    assert.equal(bench.session.state.preset, undefined);
    await choose({ instructions: 'Three' });
    bench.sessions.newChat();
    assert.equal(bench.session.state.preset, undefined);
    await bench.session.chooseAgent('fake');
    await bench.send('text hello');
    assert.deepEqual(
      sent('session/new').map(({ systemPrompt }) => asObject(systemPrompt)?.['content']),
      [undefined, 'One', 'Two', undefined, 'Three', undefined].map((text) => text && [{ type: 'text', text }]),
    );
    assert.deepEqual(shown(), { m1: 'small', mode: 'ask', fast: false });
    await choose({ instructions: 'Too late' });
    assert.equal(bench.session.state.preset, undefined, 'a chat with messages keeps what it was made with');
  });
});
