import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import { asObject } from '../../../../src/base/json';
import { displayedValue } from '../../../../src/shared/state/configOptionState';
import { SessionBench } from '../sessionBench';

const OPTIONS = [
  {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    type: 'select',
    currentValue: 'ask',
    options: [
      { value: 'ask', name: 'Ask' },
      { value: 'code', name: 'Code' },
    ],
  },
];
const ALL = { loadSession: true, sessionCapabilities: { close: {}, delete: {}, list: {}, resume: {} } };

describe('a warm start', () => {
  let bench: SessionBench;

  async function open(
    env: Record<string, string> = {},
    more: Parameters<typeof SessionBench.open>[0] = {},
  ): Promise<void> {
    const sessions = { initialAgent: () => 'fake', ...more.sessions };
    bench = await SessionBench.open({ ...more, env, sessions });
  }

  const start = (): Promise<void> => bench.session.warmStart.start();
  /** Without the lists that Parley requests by itself. */
  const opening = (): string[] => bench.methods().filter((method) => method !== 'session/list');
  const transcripts = (): string[] =>
    existsSync(join(bench.folder, 'sessions'))
      ? readdirSync(join(bench.folder, 'sessions')).filter((name) => name.endsWith('.jsonl'))
      : [];

  afterEach(() => bench?.close());

  it('opens the session once with its options, and the first message uses it', async () => {
    await open({ FAKE_NEW_RESULT: JSON.stringify({ configOptions: OPTIONS }) });
    assert.equal(bench.agents.all().length, 0, 'a window starts nothing');
    await Promise.all([start(), start()]);
    assert.deepEqual(
      bench.session.state.selectors.map(({ name }) => name),
      ['Mode'],
    );
    await start();
    await bench.send('text hello');
    assert.deepEqual(bench.methods(), ['session/new', 'session/prompt']);
    assert.match(bench.text, /hello/);
  });

  it('is awaited by a message that is sent during it', async () => {
    await open({ FAKE_INITIALIZE_DELAY: '100' });
    const warm = start();
    await bench.send('text hello');
    await warm;
    assert.deepEqual(bench.methods(), ['session/new', 'session/prompt']);
  });

  it('leaves no transcript, no row and no agent session if no message follows', async () => {
    await open({ FAKE_CAPABILITIES: JSON.stringify(ALL), FAKE_STORE: 'agent' });
    await start();
    await bench.catalog.refresh();
    assert.deepEqual(bench.catalog.items(), []);
    const unused = bench.session;
    const other = bench.sessions.open.create('other');
    bench.sessions.activate(other);
    await bench.agents.get('fake')?.connection.request('session/list', {});
    assert.deepEqual(bench.methods().slice(-3), ['session/close', 'session/delete', 'session/list']);
    assert.equal(unused.state.connection.status, 'idle');
    assert.equal(unused.state.agentSession, undefined);
    await bench.catalog.refresh();
    assert.deepEqual([bench.catalog.items(), transcripts()], [[], []]);
    assert.ok([unused, other].includes(bench.sessions.newChat()), 'a chat without messages is used again');
  });

  it('hides an unused session that the agent lists and cannot delete', async () => {
    const capabilities = { sessionCapabilities: { close: {}, list: {} } };
    await open({ FAKE_CAPABILITIES: JSON.stringify(capabilities), FAKE_STORE: 'agent' });
    await start();
    bench.session.warmStart.release();
    await bench.agents.get('fake')?.connection.request('session/list', {});
    await bench.catalog.refresh();
    assert.ok(opening().includes('session/close'));
    assert.deepEqual(bench.catalog.items(), []);
  });

  it('closes the unused session before another agent process ends, and runs again after more typing', async () => {
    await open({ FAKE_CAPABILITIES: JSON.stringify(ALL) });
    await start();
    bench.session.warmStart.release();
    await start();
    await bench.send('text hello');
    assert.deepEqual(
      bench.methods().filter((method) => method === 'session/new' || method === 'session/prompt'),
      ['session/new', 'session/new', 'session/prompt'],
    );
  });

  it('closes the session when the window closes', async () => {
    await open({ FAKE_CAPABILITIES: JSON.stringify(ALL) });
    await start();
    bench.sessions.interrupt();
    await bench.sessions.flush();
    await bench.agents.shutdown();
    assert.deepEqual(opening().slice(0, 2), ['session/new', 'session/close']);
  });

  it('keeps a session with a message', async () => {
    await open({ FAKE_CAPABILITIES: JSON.stringify(ALL) });
    await start();
    await bench.send('text hello');
    bench.session.warmStart.release();
    bench.sessions.activate(bench.sessions.open.create('other'));
    bench.sessions.interrupt();
    await bench.agents.shutdown();
    assert.deepEqual(opening(), ['session/new', 'session/prompt']);
  });

  it('starts no agent that requires approval, and none before one was selected', async () => {
    await open({}, { startsWithoutAsking: async () => false });
    await start();
    assert.equal(bench.agents.all().length, 0);
    await bench.close();
    await open({}, { sessions: { initialAgent: () => undefined } });
    await start();
    assert.equal(bench.agents.all().length, 0);
  });

  it('does nothing if the agent was changed during its approval', async () => {
    const asked = createDeferred<boolean>();
    await open({}, { startsWithoutAsking: () => asked.promise });
    const warm = start();
    bench.session.dispatch({ type: 'agentNamed', agent: { name: 'another', title: 'Another' } });
    asked.resolve(true);
    await warm;
    assert.equal(bench.agents.all().length, 0);
  });

  it('is not repeated after a failure, which the connection and the next message show', async () => {
    await open({ FAKE_EXIT_ON_START: '3' });
    await start();
    assert.ok(['failed', 'exited'].includes(bench.session.state.connection.status));
    const shown = bench.text;
    const before = bench.agents.get('fake')?.connection.state;
    await start();
    assert.equal(bench.agents.get('fake')?.connection.state, before);
    assert.equal(bench.text, shown, 'the error is shown once');
    await bench.send('text hello');
    assert.match(bench.text, /error/i);
  });

  it('does not repeat session/new after the agent rejected it', async () => {
    await open({ FAKE_NEW_ERROR: '-32603 no more sessions' });
    await start();
    await start();
    assert.deepEqual(bench.methods(), ['session/new']);
    await bench.send('text hello');
    assert.match(bench.text, /no more sessions/);
  });

  it('offers the sign-in immediately', async () => {
    await open({ FAKE_AUTH_METHODS: JSON.stringify([{ id: 'key', name: 'Key' }]), FAKE_AUTH_REQUIRED: 'session/new' });
    await start();
    assert.equal(bench.session.state.connection.status, 'signIn');
    assert.equal(bench.session.state.entries.count, 0);
    await bench.session.auth.signIn('key');
    assert.equal(bench.session.state.connection.status, 'ready');
    assert.deepEqual(bench.methods(), ['session/new', 'session/new']);
  });

  it('does not change a session that is about to be loaded', async () => {
    await open({ FAKE_CAPABILITIES: JSON.stringify(ALL) });
    bench.session.dispatch({ type: 'agentSessionOpened', session: { id: 'theirs', cwd: bench.folder } });
    await start();
    bench.session.warmStart.release();
    assert.equal(bench.session.state.agentSession?.id, 'theirs');
    assert.equal(bench.agents.all().length, 0);
  });
});

describe('a session of an earlier window', () => {
  let bench: SessionBench;
  const COMMANDS = {
    sessionUpdate: 'available_commands_update',
    availableCommands: [{ name: 'fix', description: '' }],
  };
  const open = async (env: Record<string, string> = {}, folder?: string): Promise<void> => {
    bench = await SessionBench.open({
      sessions: { initialAgent: () => 'fake' },
      ...(folder !== undefined && { folder }),
      env: {
        FAKE_CAPABILITIES: JSON.stringify(ALL),
        FAKE_STORE: 'agent',
        FAKE_NEW_RESULT: JSON.stringify({ configOptions: OPTIONS }),
        ...env,
      },
    });
  };
  const reload = async (env?: Record<string, string>): Promise<void> => {
    await bench.closeWindow();
    await open(env, bench.folder);
  };
  const shown = (): unknown[] => [
    bench.session.state.selectors.map((selector) => [selector.name, displayedValue(selector)]),
    bench.session.state.commands.map(({ name }) => name),
  ];
  const methods = (): string[] => bench.methods().filter((method) => method !== 'session/list');

  beforeEach(async () => {
    await open();
    await bench.send(`session-update ${JSON.stringify(COMMANDS)}`);
    await bench.session.configOptions.choose('mode', 'code');
  });
  afterEach(() => bench.close());

  it('shows its last options and commands before its agent starts', async () => {
    await reload();
    assert.deepEqual(shown(), [[['Mode', 'code']], ['fix']]);
    assert.equal(bench.agents.all().length, 0, 'a window starts nothing');
  });

  it('is resumed when the user starts typing, and keeps its options meanwhile', async () => {
    await reload();
    const seen: unknown[] = [];
    bench.session.onDidDispatch(() => void seen.push(bench.session.state.selectors.length));
    await bench.session.warmStart.start();
    await bench.session.configOptions.waitUntilSet();
    assert.equal(bench.session.state.connection.status, 'ready');
    assert.deepEqual(methods().slice(-2), ['session/resume', 'session/set_config_option']);
    assert.ok(
      seen.every((count) => count === 1),
      'the options do not vanish',
    );
    assert.deepEqual(shown(), [[['Mode', 'code']], ['fix']]);
  });

  it('is not replaced by a new one if its agent does not know it', async () => {
    await reload({ FAKE_RESUME_ERROR: 'gone', FAKE_LOAD_ERROR: 'gone' });
    await bench.session.warmStart.start();
    assert.deepEqual(methods().slice(-2), ['session/resume', 'session/load']);
  });

  it('keeps a value that was selected before its agent started', async () => {
    await reload();
    await bench.session.configOptions.choose('mode', 'ask');
    await bench.session.configOptions.waitUntilSet();
    const values = bench
      .received()
      .flatMap(({ method, params }) => (method === 'session/set_config_option' ? [asObject(params)?.['value']] : []));
    assert.deepEqual(values, ['code', 'ask']);
    assert.deepEqual(shown()[0], [['Mode', 'ask']]);
  });

  it('has no options if the agent no longer reports any', async () => {
    await reload({ FAKE_NEW_RESULT: '{}' });
    await bench.session.warmStart.start();
    assert.deepEqual(bench.session.state.selectors, []);
  });

  it('stores the lists only if they changed', async () => {
    await bench.send('text one');
    await reload();
    await bench.send('text two');
    await bench.sessions.flush();
    const transcript = await bench.sessions.store.readTranscript(bench.session.id);
    const stored = transcript?.actions.filter(({ type }) => type === 'commandsChanged') ?? [];
    assert.equal(stored.length, 1);
  });
});
