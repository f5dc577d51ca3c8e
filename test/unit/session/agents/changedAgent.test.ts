import assert from 'node:assert/strict';
import { SessionBench } from '../sessionBench';

const MODE = {
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  type: 'select',
  currentValue: 'ask',
  options: [{ value: 'ask', name: 'Ask' }],
};
const WITH_MODE = { FAKE_NEW_RESULT: JSON.stringify({ configOptions: [MODE] }) };
const RESUME = { sessionCapabilities: { close: {}, resume: {} } };

describe('an agent whose definition was changed', () => {
  let bench: SessionBench;
  let changed: Record<string, string>;
  let initial: string | undefined;
  let isConfigured: boolean;

  async function open(capabilities: object = {}, env: Record<string, string> = {}): Promise<void> {
    bench = await SessionBench.open({
      env: { FAKE_CAPABILITIES: JSON.stringify(capabilities), FAKE_STORE: 'agent', ...env },
      changedEnv: () => changed,
      isConfigured: () => isConfigured,
      sessions: { initialAgent: () => initial },
    });
  }

  beforeEach(() => {
    changed = {};
    initial = 'fake';
    isConfigured = true;
  });
  afterEach(() => bench.close());

  const start = (): Promise<void> => bench.session.warmStart.start();
  const modes = (): string[] => bench.session.state.selectors.map(({ name }) => name);
  const opened = (): number => bench.methods().filter((method) => method === 'session/new').length;
  const processes = (): number => bench.methods('initialize').length;

  it('starts again for a new chat, and the earlier chat is resumed there', async () => {
    await open(RESUME);
    await bench.send('text before');
    const first = bench.session;
    changed = WITH_MODE;
    bench.sessions.newChat();
    await start();
    assert.deepEqual(modes(), ['Mode']);
    await bench.send('text hello');
    assert.match(bench.text, /hello/);
    await first.send('text again');
    assert.equal(first.state.turns.at(-1)?.stopReason, 'end_turn');
    assert.deepEqual([opened(), processes()], [2, 2]);
  });

  it('starts again for an empty chat whose agent session is open', async () => {
    await open(RESUME);
    await start();
    assert.deepEqual(modes(), []);
    changed = WITH_MODE;
    bench.sessions.newChat();
    await start();
    assert.deepEqual(modes(), ['Mode']);
    assert.equal(opened(), 2);
  });

  it('starts again after a failure', async () => {
    changed = { FAKE_INITIALIZE_ERROR: '-32603 not today' };
    await open();
    await start();
    assert.equal(bench.session.state.connection.status, 'failed');
    changed = WITH_MODE;
    await start();
    assert.deepEqual(modes(), ['Mode']);
    assert.equal(bench.session.state.connection.status, 'ready');
  });

  it('starts again after it rejected a session', async () => {
    changed = { FAKE_NEW_ERROR: '-32603 no more sessions' };
    await open();
    await start();
    await start();
    assert.equal(opened(), 1);
    changed = WITH_MODE;
    await start();
    assert.deepEqual(modes(), ['Mode']);
  });

  it('keeps its process while a turn runs, and where a chat could not be resumed', async () => {
    await open();
    await bench.send('text before');
    changed = WITH_MODE;
    bench.sessions.newChat();
    await start();
    assert.deepEqual(modes(), []);
    assert.equal(processes(), 1);
    await bench.close();

    changed = {};
    await open(RESUME);
    const working = bench.send('text working', 'until-cancel');
    const { session } = bench;
    await bench.until(() => bench.text.includes('working'));
    changed = WITH_MODE;
    bench.sessions.newChat();
    await start();
    assert.equal(session.state.turn.status, 'running');
    assert.equal(processes(), 1);
    session.turn.stop();
    await working;
  });

  it('opens another session for an empty chat after its process ended', async () => {
    await open(RESUME);
    await start();
    await bench.agents.stop('fake');
    assert.deepEqual(bench.catalog.items(), [], 'an empty chat is not in the list');
    await start();
    assert.deepEqual([bench.session.state.connection.status, opened()], ['ready', 2]);
  });

  it('opens another session for an empty chat after Restart Agent in another chat', async () => {
    await open(RESUME);
    await bench.send('text before');
    const first = bench.session;
    bench.sessions.newChat();
    await start();
    const empty = bench.session;
    await first.restart();
    await empty.warmStart.start();
    assert.deepEqual([empty.state.connection.status, opened()], ['ready', 3]);
  });

  it('is replaced by the default agent in an empty chat if it is not configured any more', async () => {
    await open();
    isConfigured = false;
    initial = 'other';
    const empty = bench.session;
    assert.equal(bench.sessions.newChat(), empty);
    assert.equal(empty.state.agent?.name, 'other');
    await start();
    assert.equal(empty.state.connection.status, 'ready');
  });
});
