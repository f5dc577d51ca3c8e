import assert from 'node:assert/strict';
import { SessionBench } from './sessionBench';

describe('session: selecting an agent', function () {
  let bench: SessionBench;
  let initial: string | undefined;
  let fallback: string | undefined;
  beforeEach(async () => {
    [initial, fallback] = [undefined, undefined];
    bench = await SessionBench.open({ sessions: { initialAgent: () => initial, fallbackAgent: () => fallback } });
  });
  afterEach(() => bench.close());

  const agent = (): string | undefined => bench.session.state.agent?.name;
  function settingsName(name: string | undefined): void {
    initial = name;
    bench.sessions.followSettings();
  }

  it('starts nothing before the first prompt, and does not change a chat with messages', async () => {
    const { active } = bench.sessions;
    active.setAgent('fake');
    assert.deepEqual([active.state.agent?.name, active.state.connection.status], ['fake', 'idle']);
    assert.deepEqual(bench.agents.all(), []);
    await active.send('hello');
    assert.equal(active.state.connection.status, 'ready');
    active.setAgent('other');
    assert.deepEqual([active.state.agent?.name, active.state.connection.status], ['fake', 'ready']);
  });

  it('follows settings that come after the chat was opened, until the first message', async () => {
    assert.equal(agent(), undefined);
    settingsName('other');
    assert.equal(agent(), 'other');
    settingsName('fake');
    await bench.session.warmStart.start();
    settingsName(undefined);
    assert.equal(agent(), undefined, 'the agent of the settings became invalid');
    settingsName('fake');
    await bench.send('text hello');
    settingsName('other');
    assert.equal(agent(), 'fake');
    assert.match(bench.text, /hello/);
  });

  it('keeps the agent that the user has selected as long as it exists', async () => {
    await bench.session.chooseAgent('other');
    settingsName('fake');
    assert.equal(agent(), 'other');
    bench.sessions.newChat();
    assert.equal(agent(), 'other');
  });

  it('is required before a message, unless nothing is configured', async () => {
    assert.ok(bench.session.needsAgent);
    await bench.send('text hello');
    await bench.session.restart();
    assert.deepEqual([agent(), bench.text.includes('hello'), bench.agents.all().length], [undefined, false, 0]);
    fallback = 'other';
    assert.ok(!bench.session.needsAgent);
    await bench.send('text hello');
    assert.equal(agent(), 'other');
  });
});
