import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TerminalLaunch } from '../../../../src/agent/connection/authMethods';
import { asObject } from '../../../../src/base/json';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { Connection } from '../../../../src/shared/state/sessionState';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { SessionBench } from '../sessionBench';

const agentMethod = { id: 'browser', name: 'Browser', description: 'Opens the browser' };
const terminalMethod = { type: 'terminal', id: 'tui', name: 'Terminal', args: ['--login'] };
const unknownMethod = { type: 'env_var', id: 'key', name: 'API key' };

describe('signing in', function () {
  let bench: SessionBench;
  let folder: string;
  const launches: TerminalLaunch[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
    launches.length = 0;
  });
  afterEach(async () => {
    await bench?.close();
  });

  async function open(env: Record<string, string> = {}, terminal = true): Promise<void> {
    bench = await SessionBench.open({
      env: {
        FAKE_AUTH_REQUIRED: 'session/new session/prompt',
        FAKE_AUTH_METHODS: JSON.stringify([agentMethod, terminalMethod, unknownMethod]),
        ...env,
      },
      ...(terminal && { runInTerminal }),
    });
  }

  /** A real process with pipes instead of the terminal. */
  async function runInTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
    launches.push(launch);
    const child = spawn(launch.command, launch.args, { env: launch.env, stdio: 'pipe' });
    signal.addEventListener('abort', () => child.kill());
    const [code] = (await once(child, 'exit')) as [number | null];
    signal.throwIfAborted();
    return code ?? undefined;
  }

  const connection = (): Connection => bench.session.state.connection;
  const needed = (): Extract<Connection, { status: 'signIn' }> => {
    const now = connection();
    assert.ok(now.status === 'signIn', now.status);
    return now;
  };
  /** Transcript entries without those about ends of turns. */
  const kinds = (): string[] =>
    Array.from(entriesFrom(bench.session.state.entries), ([, { kind }]) => kind).filter((kind) => kind !== 'notice');
  const methodsReceived = (): unknown[] => bench.received().flatMap(({ method }) => method ?? []);

  it('offers the agent’s methods when session/new is rejected, and opens the session after authenticate', async () => {
    await open();
    await bench.session.chooseAgent('fake');
    assert.equal(needed().message, 'Fake requires sign-in.');
    assert.equal(needed().detail, 'Authentication required');
    assert.deepEqual(
      needed().methods.map(({ id, type, unsupportedType }) => [id, type, unsupportedType]),
      [
        ['browser', 'agent', undefined],
        ['tui', 'terminal', undefined],
        ['key', 'unsupported', 'env_var'],
      ],
    );
    assert.deepEqual(kinds(), [], 'nothing was asked, so nothing is said in the transcript');
    await bench.session.auth.signIn('browser');
    assert.equal(connection().status, 'ready');
    assert.deepEqual(methodsReceived(), ['initialize', 'session/new', 'authenticate', 'session/new']);
  });

  it('sends the rejected prompt again, once, after the sign-in', async () => {
    await open();
    await bench.send('text hello');
    assert.deepEqual(kinds(), ['user', 'error']);
    await bench.session.auth.signIn('browser');
    assert.deepEqual(kinds(), ['user', 'error', 'user', 'agent']);
    assert.doesNotMatch(bench.text, /Agent restarted/, 'nothing was said to it that it could have forgotten');
    await bench.session.auth.signIn('browser');
    assert.equal(methodsReceived().filter((method) => method === 'session/prompt').length, 1);
  });

  it('is offered again when a prompt of an open session is rejected', async () => {
    await open({ FAKE_AUTH_REQUIRED: 'session/prompt' });
    await bench.send('text hello');
    needed();
    await bench.session.auth.signIn('browser');
    assert.match(bench.text, /hello/);
    assert.equal(methodsReceived().filter((method) => method === 'session/new').length, 1);
  });

  it('shows why an attempt failed, and allows another', async () => {
    await open({ FAKE_AUTH_FAILURES: '1' });
    await bench.session.chooseAgent('fake');
    await bench.session.auth.signIn('browser');
    assert.equal(needed().error, 'Browser failed: The browser was closed during browser.');
    assert.equal(needed().signingIn, undefined);
    await bench.send('text hello');
    assert.equal(needed().detail, 'Authentication required');
    assert.match(needed().error ?? '', /^Browser failed/, 'a request that was on its way does not hide it');
    await bench.session.auth.signIn('browser');
    assert.equal(connection().status, 'ready');
    assert.equal(methodsReceived().at(-1), 'session/prompt');
  });

  it('can be canceled while the agent waits for the user', async () => {
    await open({ FAKE_AUTH_HANG: '1' });
    await bench.session.chooseAgent('fake');
    const trying = bench.session.auth.signIn('browser');
    await bench.until(({ connection: now }) => now.status === 'signIn' && now.signingIn === 'Browser');
    bench.session.auth.cancel();
    await trying;
    assert.equal(needed().signingIn, undefined);
    assert.equal(needed().error, undefined);
    await bench.send('a prompt, so that the agent has read everything before it');
    const canceled = bench.received().find(({ method }) => method === '$/cancel_request');
    const asked = bench.received().find(({ method }) => method === 'authenticate');
    assert.deepEqual(canceled?.['params'], { requestId: asked?.['id'] });
  });

  it('runs a terminal method with the agent’s command and its arguments, then reconnects without authenticate', async () => {
    await open({ FAKE_AUTH_FILE: join(folder, 'token') });
    await bench.send('text hello');
    await bench.session.auth.signIn('tui');
    assert.match(bench.text, /hello/);
    assert.equal(connection().status, 'ready');
    assert.equal(launches[0]?.command, process.execPath);
    assert.equal(launches[0]?.args.at(-1), '--login');
    const methods = methodsReceived();
    assert.equal(methods.filter((method) => method === 'initialize').length, 2);
    assert.ok(!methods.includes('authenticate'));
    const [initialize] = bench.received();
    const offered = asObject(initialize?.['params'])?.['clientCapabilities'];
    assert.deepEqual(asObject(offered)?.['auth'], { terminal: true });
    assert.equal(asObject(asObject(offered)?.['_meta'])?.['terminal-auth'], true);
  });

  it('stays signed out when the command in the terminal fails', async () => {
    await open({ FAKE_AUTH_FILE: join(folder, 'token'), FAKE_AUTH_EXIT: '3' });
    await bench.session.chooseAgent('fake');
    await bench.session.auth.signIn('tui');
    assert.match(needed().error ?? '', /Terminal failed: the command ended with exit code 3/);
    assert.equal(methodsReceived().filter((method) => method === 'initialize').length, 1);
  });

  it('does not offer a terminal method without terminals', async () => {
    await open({}, false);
    await bench.session.chooseAgent('fake');
    assert.deepEqual(
      needed().methods.map(({ type }) => type),
      ['agent', 'unsupported', 'unsupported'],
    );
    await bench.session.auth.signIn('tui');
    assert.match(needed().error ?? '', /not supported/);
    assert.deepEqual(methodsReceived(), ['initialize', 'session/new']);
  });

  it('signs out where offered; then the next prompt asks for a sign-in', async () => {
    const capabilities = JSON.stringify({ auth: { logout: {}, status: {} } });
    await open({ FAKE_CAPABILITIES: capabilities });
    await bench.session.chooseAgent('fake');
    await bench.session.auth.signIn('browser');
    const offer = await bench.session.auth.offer();
    assert.deepEqual([offer?.canSignOut, offer?.account], [true, 'ada@example.test']);
    await bench.session.auth.signOut();
    assert.equal(needed().message, 'You are signed out of Fake.');
    await bench.send('text hello');
    assert.deepEqual(kinds(), ['user', 'error']);
    needed();
  });

  it('is required after the rejection of any request', async () => {
    await open({ FAKE_AUTH_REQUIRED: 'session/list' });
    await bench.session.chooseAgent('fake');
    assert.equal(connection().status, 'ready');
    await assert.rejects(bench.agents.acquire('fake').connection.request('session/list', {}));
    needed();
    assert.deepEqual(kinds(), []);
  });

  it('shows the account from both forms of the status, and does not log its name', async () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const log = { trace: write, info: write, warn: write, error: write };
    bench = await SessionBench.open({ connection: { log } });
    const { auth } = bench.session;
    await bench.send('notify _auth/status_update {"authStatus":{"kind":"api_key","label":"ada-key"}}', 'text one');
    assert.equal((await auth.offer())?.account, 'ada-key');
    const account = '{"state":"authenticated","accounts":[{"label":"ada@example.test"}]}';
    await bench.send(`notify auth/status_update ${account}`, 'notify _other/thing {}', 'text two');
    assert.equal((await auth.offer())?.account, 'ada@example.test');
    const text = JSON.stringify(lines);
    assert.match(text, /_other\/thing/, 'the log is written');
    assert.doesNotMatch(text, /ada/);
  });

  it('does not sign out of an agent without logout', async () => {
    await open({ FAKE_AUTH_REQUIRED: 'nothing' });
    await bench.send('text hello');
    await bench.session.auth.signOut();
    assert.match(bench.text, /Fake does not support signing out/);
    assert.ok(!methodsReceived().includes('logout'));
  });
});
