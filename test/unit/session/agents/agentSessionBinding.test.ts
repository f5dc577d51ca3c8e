import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import { SessionBench } from '../sessionBench';

const RESUME = { loadSession: false, sessionCapabilities: { resume: {} } };
const LOAD = { loadSession: true };
const BOTH = { loadSession: true, sessionCapabilities: { resume: {} } };

describe('the agent’s session of a chat', function () {
  let bench: SessionBench;
  const capable =
    (capabilities: object, env: Record<string, string> = {}) =>
    (folder?: string) =>
      SessionBench.open({
        env: {
          FAKE_CAPABILITIES: JSON.stringify(capabilities),
          FAKE_STORE: join(folder ?? '/', 'agent'),
          ...env,
        },
        ...(folder !== undefined && { folder }),
      });

  afterEach(async () => bench?.close());

  /** Consecutive windows with the same folder. */
  async function twoWindows(first: object, second = first, env: Record<string, string> = {}): Promise<void> {
    const blank = await SessionBench.open();
    await blank.closeWindow();
    bench = await capable(first)(blank.folder);
    await bench.send('tool t1 read Look', 'update t1 completed found', 'text First answer');
    await bench.closeWindow();
    bench = await capable(second, env)(blank.folder);
  }

  const texts = (): string[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'agent' || entry.kind === 'user' ? [entry.text] : [entry.kind],
    );

  it('is resumed with the next prompt after a reload, with the agent’s memory', async () => {
    await twoWindows(BOTH);
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["tool t1 read Look/);
    assert.deepEqual(bench.methods().slice(-2), ['session/resume', 'session/prompt']);
    assert.deepEqual(
      bench.methods().filter((method) => method === 'session/new'),
      ['session/new'],
    );
    assert.doesNotMatch(bench.text, /Agent restarted/);
  });

  it('is resumed with the same cwd and no MCP servers', async () => {
    await twoWindows(RESUME);
    await bench.send('text on');
    const made = bench.received().find(({ method }) => method === 'session/new');
    const resumed = bench.received().find(({ method }) => method === 'session/resume');
    assert.ok(made && resumed);
    const params = { cwd: bench.folder, mcpServers: [] };
    const { sessionId, _meta, ...sent } = resumed['params'] as { sessionId: string; _meta: unknown };
    assert.deepEqual(sent, params);
    assert.deepEqual({ ...(made['params'] as object), _meta }, { ...params, _meta });
    assert.equal(bench.session.state.agentSession?.id, sessionId);
  });

  it('is loaded if the agent cannot resume, without duplicate entries', async () => {
    await twoWindows(LOAD);
    const before = texts();
    await bench.send('recall');
    assert.deepEqual(texts().slice(0, before.length), before);
    assert.deepEqual(texts().slice(before.length, -1), ['recall']);
    assert.match(bench.text, /\[remembers \["tool t1/);
  });

  it('is loaded without duplicate entries if the replay continues after the response', async () => {
    await twoWindows(LOAD, LOAD, { FAKE_REPLAY_LATE: '1' });
    const before = texts();
    await bench.send('recall');
    assert.deepEqual(texts().slice(0, -2), before);
  });

  it('is loaded if resuming fails', async () => {
    await twoWindows(BOTH, BOTH, { FAKE_RESUME_ERROR: 'already has a live writer' });
    await bench.send('recall');
    assert.deepEqual(bench.methods().slice(-3), ['session/resume', 'session/load', 'session/prompt']);
    assert.match(bench.text, /\[remembers \["tool t1/);
  });

  it('is replaced by a new one, with a notice, if the agent does not know it', async () => {
    await twoWindows(BOTH);
    rmSync(join(bench.folder, 'agent'), { recursive: true });
    await bench.send('recall');
    assert.match(bench.text, /\[notice\] Agent restarted[^]*\[remembers \[\]\]/);
    assert.deepEqual(bench.methods().slice(-3), ['session/load', 'session/new', 'session/prompt']);
  });

  it('is replaced by a new one if the agent can neither resume nor load', async () => {
    await twoWindows({});
    await bench.send('recall');
    assert.match(bench.text, /\[notice\] Agent restarted[^]*\[remembers \[\]\]/);
    await bench.send('text again');
    assert.equal(bench.text.match(/Agent restarted/g)?.length, 1);
  });

  it('is restored after the process died, in the same window', async () => {
    await twoWindows(RESUME);
    await bench.send('text about to die', 'exit 9');
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["tool t1[^]*about to die/);
    assert.doesNotMatch(bench.text, /Agent restarted/);
  });

  it('is resumed when the chat is opened, without a prompt or a new session', async () => {
    await twoWindows(RESUME);
    const { id } = bench.session;
    bench.sessions.newChat();
    await bench.catalog.open(id);
    assert.equal(bench.session.id, id);
    assert.deepEqual(bench.methods().slice(-1), ['session/resume']);
    assert.equal(bench.session.state.connection.status, 'ready');
  });

  it('is not replaced on opening if the agent has forgotten it, but with the next prompt', async () => {
    await twoWindows(RESUME);
    rmSync(join(bench.folder, 'agent'), { recursive: true });
    const before = bench.text;
    await bench.catalog.open(bench.session.id);
    assert.equal(bench.text, before);
    assert.deepEqual(bench.methods().slice(-1), ['session/resume']);
  });

  it('is not required for opening a chat: the transcript stays unchanged', async () => {
    await twoWindows(RESUME);
    const { folder, text } = bench;
    await bench.closeWindow();
    bench = await SessionBench.open({ folder, command: '/nowhere/agent' });
    await bench.catalog.open(bench.session.id);
    assert.equal(bench.text, text);
    assert.equal(bench.session.state.connection.status, 'failed');
  });

  it('gets all workspace folders if the agent supports several', async () => {
    const sessionCapabilities = { resume: {}, additionalDirectories: {} };
    const first = await SessionBench.open();
    await first.closeWindow();
    const open = (): Promise<SessionBench> =>
      SessionBench.open({
        folder: first.folder,
        env: { FAKE_CAPABILITIES: JSON.stringify({ sessionCapabilities }), FAKE_STORE: join(first.folder, 'agent') },
        sessions: { folders: () => [first.folder, '/second', '/third'] },
      });
    bench = await open();
    await bench.send('text one');
    await bench.closeWindow();
    bench = await open();
    await bench.send('text two');
    const given = bench
      .received()
      .filter(({ method }) => method === 'session/new' || method === 'session/resume')
      .map(({ params }) => (params as { additionalDirectories?: unknown }).additionalDirectories);
    assert.deepEqual(given, [
      ['/second', '/third'],
      ['/second', '/third'],
    ]);
    assert.doesNotMatch(bench.text, /Part of the workspace/);
  });

  it('lists folders that the agent does not see: other workspace folders, and missing ones', async () => {
    const first = await SessionBench.open();
    await first.closeWindow();
    bench = await SessionBench.open({
      folder: first.folder,
      sessions: { folders: () => [first.folder, '/second'], virtualFolders: () => ['remote repository'] },
    });
    await bench.send('text one');
    await bench.send('text two');
    const notices = Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'notice' ? [`${entry.title}: ${entry.text}`] : [],
    );
    assert.equal(notices.length, 1);
    assert.match(
      notices[0] ?? '',
      /Part of the workspace is not available to Fake: “remote repository” is not .*disk.*“second”/,
    );
    assert.ok(!JSON.stringify(bench.received()).includes('additionalDirectories'));
  });
});
