import assert from 'node:assert/strict';
import { readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeferred } from '../../../src/base/async';
import type { SessionListItem } from '../../../src/history/sessionSummary';
import { readLists } from '../../../src/session/agents/storedSessionLists';
import type { LiveSession } from '../../../src/session/liveSession';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import { nextOf } from '../../kit/waiting';
import { SessionBench } from './sessionBench';

const ALL = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, archive: {}, title: {}, status: {} },
};

describe('the list of sessions', function () {
  let bench: SessionBench;

  afterEach(async () => bench?.close());

  /** A window; with the folder of an earlier window it has the sessions of that window. */
  async function open(capabilities: object = ALL, env: Record<string, string> = {}, folder?: string): Promise<void> {
    const place = folder ?? (await emptyFolder());
    bench = await SessionBench.open({
      folder: place,
      env: { FAKE_CAPABILITIES: JSON.stringify(capabilities), FAKE_STORE: join(place, 'agent'), ...env },
    });
  }

  async function emptyFolder(): Promise<string> {
    const first = await SessionBench.open();
    await first.closeWindow();
    return first.folder;
  }

  async function chat(text: string): Promise<LiveSession> {
    bench.sessions.newChat();
    const { session } = bench;
    await session.send(text);
    return session;
  }

  /** Closes the window and opens a new one on the same folder, with the agent started. */
  async function reload(capabilities: object = ALL, env: Record<string, string> = {}): Promise<void> {
    const { folder } = bench;
    await bench.closeWindow();
    await open(capabilities, env, folder);
    await bench.agents.acquire('fake').connection.start();
    await bench.catalog.refresh();
  }

  /** Makes Parley forget the agent's sessions. */
  async function forgetOurs(capabilities: object = ALL, env: Record<string, string> = {}): Promise<void> {
    for (const { id } of bench.sessions.store.list()) {
      const session = bench.sessions.getOpen(id);
      if (session) await bench.sessions.close(session);
      await bench.sessions.store.remove(id);
    }
    await reload(capabilities, env);
  }

  const titles = (): string[] => bench.catalog.items().map(({ title }) => title);

  const ours = (): string[] => bench.catalog.items().flatMap(({ title, isOurs }) => (isOurs ? title : []));

  function item(title: string): SessionListItem {
    const found = bench.catalog.items().find((one) => one.title === title);
    assert.ok(found, `${title} is in the list: ${titles().join(', ')}`);
    return found;
  }

  it('lists all transcripts, newest first, without opening them, and opens one by its id', async () => {
    await open();
    await chat('first chat');
    await chat('second chat');
    await reload();
    assert.deepEqual(titles(), ['second chat', 'first chat']);
    assert.equal(bench.sessions.allOpen().length, 1);
    await bench.catalog.open(item('first chat').id);
    assert.match(bench.text, /You said: first chat/);
    assert.ok(item('first chat').isActive);
    assert.equal(item('first chat').agent?.title, 'Fake');
  });

  it('lists the lines that a session has under review, open or not, and stores none', async () => {
    await open();
    await chat('first chat');
    const { id } = item('first chat');
    await reload();
    const lines = (): unknown[] => [item('first chat').added, item('first chat').removed];
    assert.deepEqual(lines(), [undefined, undefined]);
    const changed = nextOf(bench.catalog.onDidChange);
    bench.changes.set(id, { added: 10, removed: 21 });
    await changed;
    assert.deepEqual(lines(), [10, 21]);
    await bench.catalog.rename(id, 'first chat');
    bench.changes.set(id, undefined);
    assert.deepEqual(lines(), [undefined, undefined]);
  });

  it('lists each session once, whether the agent lists it or not', async () => {
    await open();
    await chat('both know this');
    await reload();
    assert.ok(bench.methods().includes('session/list'));
    assert.deepEqual(titles(), ['both know this']);
  });

  it('lists the agent’s sessions of a folder by its real path, and no others', async () => {
    const real = await realpath(await emptyFolder());
    const alias = `${real}-alias`;
    await symlink(real, alias);
    await open(ALL, {}, alias);
    await chat('hello');
    await forgetOurs();
    const { connection } = bench.agents.acquire('fake');
    const request = connection.request.bind(connection);
    let reported = '';
    connection.request = async (method, ...rest) => {
      const answer = await request(method, ...rest);
      if (method !== 'session/list') return answer;
      const { sessions } = answer as { sessions: object[] };
      return { sessions: sessions.map((session) => ({ ...session, cwd: reported })) };
    };
    const listed = async (cwd: string): Promise<readonly unknown[]> => {
      reported = cwd;
      await bench.catalog.refresh();
      return bench.catalog.items().map(({ agentSession }) => agentSession?.cwd);
    };
    for (const cwd of [alias, real, `${real}/`]) assert.deepEqual(await listed(cwd), [alias], cwd);
    for (const cwd of [`${real}-evil`, join(real, '..'), join(real, 'sub', '..', '..'), '.'])
      assert.deepEqual(await listed(cwd), [], cwd);
    await rm(real, { recursive: true });
  });

  it('requests all pages, with the cursors unchanged', async () => {
    await open(ALL, { FAKE_PAGE: '2' });
    for (const text of ['one', 'two', 'three', 'four', 'five']) await chat(text);
    await forgetOurs(ALL, { FAKE_PAGE: '2' });
    assert.equal(bench.catalog.items().length, 5);
    const cursors = bench
      .received()
      .filter(({ method }) => method === 'session/list')
      .map(({ params }) => (params as { cursor?: string }).cursor);
    assert.deepEqual(cursors.slice(-3), [undefined, 'page after 2', 'page after 4']);
  });

  it('opens a session that only the agent has, and stores its replay as the transcript, once', async () => {
    await open();
    await chat('tool t1 read Look\nupdate t1 completed found\ntext An answer');
    await forgetOurs();
    const [foreign] = bench.catalog.items();
    assert.ok(foreign && !foreign.isOurs);
    await bench.catalog.open(foreign.id);
    assert.match(
      bench.text,
      /\[user\]\n {2}tool t1 read Look[^]*\[tool read\] Look: Done[^]*\[agent\]\n {2}An answer\n/,
    );
    assert.equal(bench.text.match(/An answer\n/g)?.length, 2, 'in the prompt and in the answer');
    assert.equal(bench.catalog.items().length, 1);
    const { text } = bench;
    await reload();
    assert.equal(bench.text, text);
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["tool t1/);
  });

  it('opens a session that only the agent has once, also if it is opened twice at the same time', async () => {
    await open();
    await chat('text An answer');
    await forgetOurs();
    const id = bench.catalog.items()[0]?.id ?? '';
    const [first, second] = await Promise.all([bench.catalog.open(id), bench.catalog.open(id)]);
    assert.equal(first.id, second.id);
    assert.equal(bench.methods().filter((method) => method === 'session/load').length, 1);
    assert.equal(bench.catalog.items().length, 1);
    assert.equal(bench.text.match(/An answer\n/g)?.length, 2, 'in the prompt and in the answer');
  });

  it('stores a replay that continues after the response', async () => {
    await open();
    await chat('text one two three');
    await bench.send('text four five six');
    await forgetOurs(ALL, { FAKE_REPLAY_LATE: '1' });
    const [foreign] = bench.catalog.items();
    await bench.catalog.open(foreign?.id ?? '');
    const said = Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'user' || entry.kind === 'agent' ? [`${entry.kind}: ${entry.text}`] : [],
    );
    assert.deepEqual(said, [
      'user: text one two three',
      'agent: one two three',
      'user: text four five six',
      'agent: four five six',
    ]);
  });

  it('shows a notice if the agent remembers a session but cannot replay it', async () => {
    await open();
    await chat('hello');
    await forgetOurs({ sessionCapabilities: { list: {}, resume: {} } });
    await bench.catalog.open(bench.catalog.items()[0]?.id ?? '');
    assert.match(bench.text, /\[notice\] Fake resumed this session/);
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["hello"\]\]/);
  });

  it('renames a session with the title that the agent returns, which later titles do not replace', async () => {
    await open();
    const session = await chat('hello');
    await bench.catalog.rename(session.id, 'A name that is longer than the agent allows');
    assert.deepEqual(titles(), ['A name that is longe']);
    await session.send('session-update {"sessionUpdate":"session_info_update","title":"Generated"}');
    assert.deepEqual(titles(), ['A name that is longe']);
    await reload();
    assert.deepEqual(titles(), ['A name that is longe']);
  });

  it('renames a session that is not open, also for an agent without titles', async () => {
    await open({ sessionCapabilities: { list: {} } });
    const { id } = await chat('hello');
    await chat('another');
    await bench.sessions.close(bench.sessions.getOpen(id) as LiveSession);
    await bench.catalog.rename(id, 'Renamed');
    await reload({ sessionCapabilities: { list: {} } });
    assert.ok(titles().includes('Renamed'));
    await bench.catalog.open(id);
    assert.equal(bench.session.state.title, 'Renamed');
  });

  it('keeps changes that were made during the agent’s response', async () => {
    await open();
    const session = await chat('hello');
    bench.sessions.newChat();
    await bench.sessions.close(session);
    const { store: shelf } = bench.sessions;
    const { connection } = bench.agents.acquire('fake');
    const request = connection.request.bind(connection);
    connection.request = async (method, ...rest) => {
      const answer = await request(method, ...rest);
      const now = shelf.get(session.id);
      if (method === 'session/archive' && now) shelf.saveSummary({ ...now, unread: true, title: 'changed meanwhile' });
      return answer;
    };
    await bench.catalog.setArchived(session.id, true);
    const { archived, unread, title } = shelf.get(session.id) ?? {};
    assert.deepEqual([archived, unread, title], [true, true, 'changed meanwhile']);
  });

  it('keeps changes that are newer than the agent’s list', async () => {
    await open();
    await chat('first chat');
    await chat('second chat');
    await forgetOurs();
    const [first, second] = bench.catalog.items();
    assert.ok(first && second);
    const link = bench.agents.acquire('fake');
    const request = link.connection.request.bind(link.connection);
    const asked = createDeferred<void>();
    const answers = createDeferred<void>();
    link.connection.request = async (method, ...rest) => {
      const answer = await request(method, ...rest);
      if (method !== 'session/list') return answer;
      asked.resolve();
      await answers.promise;
      return answer;
    };
    const refreshing = bench.catalog.refresh();
    await asked.promise;
    await bench.catalog.rename(first.id, 'renamed meanwhile');
    await bench.catalog.remove(second.id);
    answers.resolve();
    await refreshing;
    assert.deepEqual(titles(), ['renamed meanwhile']);
  });

  it('archives a session locally and at the agent, and restores it', async () => {
    await open();
    const { id } = await chat('hello');
    await chat('stays');
    await bench.catalog.setArchived(id, true);
    assert.ok(item('hello').archived);
    assert.equal(bench.sessions.getOpen(id), undefined);
    assert.deepEqual(bench.methods().slice(-1), ['session/archive']);
    await reload();
    assert.ok(item('hello').archived);
    await bench.catalog.setArchived(id, false);
    assert.ok(!item('hello').archived);
  });

  it('deletes a session permanently: transcript, list, and at the agent', async () => {
    await open();
    const { id } = await chat('hello');
    await chat('stays');
    await bench.catalog.remove(id);
    assert.deepEqual(titles(), ['stays']);
    assert.ok(bench.methods().includes('session/delete'));
    await reload();
    assert.deepEqual(titles(), ['stays']);
    assert.equal(await bench.sessions.open.load(id), undefined);
  });

  it('does not delete, archive or rename at the agent a session whose id another session has', async () => {
    await open();
    const { id, state } = await chat('stored');
    await chat('open');
    const { session } = bench;
    const { agentSession } = state;
    assert.ok(agentSession);
    session.dispatch({ type: 'agentSessionOpened', session: agentSession });
    await bench.catalog.rename(id, 'renamed');
    await bench.catalog.setArchived(id, true);
    await bench.catalog.hide(id);
    await bench.catalog.remove(id);
    const sent = (): string[] =>
      bench.methods().filter((method) => /^session\/(delete|archive|set_title)$/.test(method));
    assert.deepEqual(sent(), []);
    assert.deepEqual(titles(), ['open']);
    await bench.catalog.remove(session.id);
    assert.deepEqual(sent(), ['session/delete']);
  });

  it('deletes a session with a running turn and a permission request completely', async () => {
    await open();
    const session = await chat('hello');
    void session.send('permission t1 allow_once:Yes\ntext more');
    await bench.until((state) => state.waiting.length > 0);
    await bench.catalog.remove(session.id);
    await bench.sessions.flush();
    assert.deepEqual(titles(), []);
    assert.equal(await bench.sessions.store.readTranscript(session.id), undefined);
    const answers = bench.received().filter((message) => 'result' in message);
    assert.deepEqual(
      answers.map(({ result }) => result),
      [{ outcome: { outcome: 'cancelled' } }],
    );
  });

  it('hides a deleted session until the undo period ends, and restores it completely', async () => {
    await open();
    const session = await chat('to delete');
    const { id } = session;
    await bench.catalog.refresh();
    await bench.catalog.hide(id);
    assert.deepEqual(titles(), []);
    assert.equal(bench.sessions.getOpen(id), undefined);
    assert.equal(bench.methods().includes('session/delete'), false);
    await bench.catalog.refresh();
    assert.deepEqual(titles(), [], 'the agent goes on listing it');
    bench.catalog.unhide(id);
    assert.deepEqual(titles(), ['to delete']);
    await bench.catalog.open(id);
    assert.match(bench.text, /You said: to delete/);
    await bench.catalog.hide(id);
    await bench.catalog.remove(id);
    assert.ok(bench.methods().includes('session/delete'));
    await bench.catalog.refresh();
    assert.deepEqual(titles(), []);
  });

  it('hides a session of the agent, and deletes it there only after the undo period', async () => {
    await open();
    await chat('theirs');
    await forgetOurs();
    const { id } = item('Untitled');
    assert.ok(bench.catalog.items().every(({ isOurs }) => !isOurs));
    await bench.catalog.hide(id);
    await bench.catalog.refresh();
    assert.deepEqual(titles(), []);
    bench.catalog.unhide(id);
    assert.deepEqual(titles(), ['Untitled']);
    await bench.catalog.hide(id);
    await bench.catalog.remove(id);
    await bench.catalog.refresh();
    assert.deepEqual(titles(), []);
  });

  it('permanently deletes sessions hidden by an earlier window after the undo period', async () => {
    await open();
    const { id } = await chat('to delete');
    await bench.catalog.hide(id);
    await reload();
    assert.deepEqual(titles(), []);
    await bench.catalog.purge(Date.now());
    assert.equal(bench.sessions.store.listDeleted().length, 1);
    await bench.catalog.purge(Date.now() + 60 * 60_000);
    assert.equal(bench.sessions.store.listDeleted().length, 0);
    assert.equal(await bench.sessions.store.readTranscript(id), undefined);
    await bench.catalog.refresh();
    assert.deepEqual(titles(), []);
  });

  it('lists a session once that both Parley and the agent have, after any change on either side', async () => {
    await open();
    const { id } = await chat('one and the same');
    await bench.catalog.refresh();
    await bench.catalog.rename(id, 'renamed here');
    await bench.catalog.refresh();
    assert.deepEqual(titles(), ['renamed here']);
    await reload();
    assert.deepEqual(titles(), ['renamed here']);
    // Deleted in the agent's own program: Parley's copy stays, and opens.
    const agentId = item('renamed here').agentSession?.id;
    await bench.agents.acquire('fake').connection.request('session/delete', { sessionId: agentId });
    await bench.catalog.refresh();
    assert.deepEqual(titles(), ['renamed here']);
  });

  it('keeps the unread mark over a restart', async () => {
    await open();
    const first = await chat('first chat');
    bench.sessions.newChat();
    await first.send('more');
    assert.equal(item('first chat').status, 'unread');
    await chat('second chat');
    await reload();
    assert.equal(item('first chat').status, 'unread');
    await bench.catalog.open(item('first chat').id);
    assert.equal(item('first chat').status, 'idle');
    await reload();
    assert.equal(item('first chat').status, 'idle');
  });

  it('lists a transcript of a newer version, and explains on opening why it cannot be read', async () => {
    await open();
    const { id } = await chat('from the future');
    const { folder } = bench;
    await bench.closeWindow();
    const file = join(folder, 'sessions', `${id}.jsonl`);
    const text = (await readFile(file, 'utf8')).replace('{"parley":1', '{"parley":9');
    await writeFile(file, text);
    await open(ALL, {}, folder);
    await assert.rejects(bench.catalog.open(item('from the future').id), /newer version of Parley \(format 9\)/);
    await assert.rejects(bench.catalog.rename(id, 'no'), /newer version/);
    assert.equal(await readFile(file, 'utf8'), text);
    await rm(join(folder, 'sessions', `${id}.summary.json`));
    await bench.closeWindow();
    await open(ALL, {}, folder);
    assert.deepEqual(titles(), ['Session from a newer version of Parley']);
  });

  it('deletes transcripts by age and size, but none that are open or can be restored', async () => {
    await open();
    const first = await chat('first chat');
    await chat('second chat');
    await reload();
    const day = 24 * 60 * 60_000;
    const { store: shelf } = bench.sessions;
    assert.deepEqual(await shelf.prune({ maxAgeDays: 2, maxSizeMB: 10 }, bench.sessions.open, Date.now() + day), []);
    assert.deepEqual(
      await shelf.prune({ maxAgeDays: 0, maxSizeMB: 10 }, bench.sessions.open, Date.now() + 900 * day),
      [],
    );
    assert.deepEqual(await shelf.prune({ maxAgeDays: 2, maxSizeMB: 10 }, bench.sessions.open, Date.now() + 3 * day), [
      'first chat',
    ]);
    assert.equal(await shelf.readTranscript(first.id), undefined);
    assert.deepEqual(ours(), ['second chat']);
  });

  it('does not list a deleted session again for an agent that cannot delete', async () => {
    const capabilities = { loadSession: true, sessionCapabilities: { list: {} } };
    await open(capabilities);
    const { id } = await chat('hello');
    await bench.catalog.remove(id);
    await reload(capabilities);
    assert.deepEqual(titles(), []);
    assert.ok(!bench.methods().includes('session/delete'));
  });

  it('sorts a session by the agent’s date, which may be of another client', async () => {
    await open();
    const session = await chat('used elsewhere');
    await chat('newer here');
    const later = '2199-01-02T03:04:05Z';
    await session.send(`session-update {"sessionUpdate":"session_info_update","updatedAt":"${later}"}`);
    assert.equal(item('used elsewhere').updatedAt, Date.parse(later));
    await reload();
    assert.equal(bench.catalog.items()[0]?.title, 'used elsewhere');
    assert.equal(item('used elsewhere').updatedAt, Date.parse(later));
    await bench.catalog.open(item('used elsewhere').id);
    await bench.session.send('session-update {"sessionUpdate":"session_info_update","updatedAt":null}');
    assert.ok(item('used elsewhere').updatedAt < Date.parse(later));
  });

  it('keeps the list of a stopped agent, and starts the agent only on request', async () => {
    await open();
    await chat('kept');
    await forgetOurs();
    assert.equal(item('Untitled').isOurs, false);
    const { folder } = bench;
    await bench.closeWindow();
    await open(ALL, {}, folder);
    const notRunning = (): string[] => bench.catalog.listNotRunning().map(({ name }) => name);
    assert.deepEqual([titles(), notRunning(), bench.agents.all().length], [['Untitled'], ['fake', 'other'], 0]);
    await bench.catalog.loadSessionsOf('fake');
    assert.deepEqual([titles(), notRunning()], [['Untitled'], ['other']]);
    await bench.closeWindow();
    await open(ALL, {}, folder);
    await bench.catalog.open(item('Untitled').id);
    assert.match(bench.text, /You said: kept/);
  });

  it('reports that an agent has no session list, and does not offer that again', async () => {
    await open({ loadSession: true });
    await assert.rejects(bench.catalog.loadSessionsOf('fake'), /Fake Agent does not list its sessions|does not list/);
    const { folder } = bench;
    await bench.closeWindow();
    await open({ loadSession: true }, {}, folder);
    assert.deepEqual(
      bench.catalog.listNotRunning().map(({ name }) => name),
      ['other'],
    );
  });

  it('reads the valid entries of a damaged stored list', async () => {
    const kept = [
      { id: 'a', cwd: '/w' },
      { id: 1 },
      'x',
      { id: 'b', cwd: '/w', title: 3, updatedAt: 'never', archived: 1 },
    ];
    const memory = { get: () => ({ fake: kept, other: 'x', third: null }), update: async () => {} };
    const lists = readLists(memory);
    assert.deepEqual(lists.get('fake'), [
      { agentName: 'fake', id: 'a', cwd: '/w', archived: false },
      { agentName: 'fake', id: 'b', cwd: '/w', archived: false },
    ]);
    assert.deepEqual([lists.get('other'), lists.has('third'), lists.get('third')], [[], true, undefined]);
    assert.equal(readLists({ get: () => 'x', update: async () => {} }).size, 0);
  });

  it('forks a session of an agent that has not started yet, if it could fork before', async () => {
    await open();
    await chat('before the reload');
    await reload();
    assert.equal(item('before the reload').can.fork, true);
    assert.equal(item('before the reload').agentSession?.program, 'fake-agent');
    const fork = await bench.catalog.fork(item('before the reload').id);
    await fork.send('recall');
    assert.match(bench.text, /\[remembers \["before the reload"\]\]/);
  });

  it('forks a session: both remember the conversation, and continue separately', async () => {
    await open(ALL, { FAKE_FORK_REPLAY: '1' });
    const source = await chat('before the fork');
    const fork = await bench.catalog.fork(source.id);
    assert.equal(bench.session, fork);
    assert.equal(bench.text.match(/You said: before the fork/g)?.length, 1, 'the replay is not shown again');
    await fork.send('recall');
    assert.match(bench.text, /\[remembers \["before the fork"\]\]/);
    await source.send('recall');
    assert.doesNotMatch(JSON.stringify(source.state), /recall[^]*recall/);
    assert.deepEqual(titles().toSorted(), ['before the fork', 'before the fork (fork)']);
    await reload();
    await bench.catalog.open(item('before the fork (fork)').id);
    assert.match(bench.text, /\[remembers \["before the fork"\]\]/);
  });

  it('offers only actions that the agent supports', async () => {
    await open({});
    const session = await chat('hello');
    assert.deepEqual(bench.catalog.items()[0]?.can, { rename: true, archive: true, delete: true, fork: false });
    await assert.rejects(bench.catalog.fork(session.id), /does not support forking/);
    await bench.catalog.rename(session.id, 'Other');
    await bench.catalog.setArchived(session.id, true);
    assert.deepEqual([...new Set(bench.methods())], ['session/new', 'session/prompt']);
    assert.equal(await bench.catalog.statusAtAgent(session.id), undefined);
  });

  it('shows the status at the agent: open or saved', async () => {
    await open();
    const session = await chat('hello');
    assert.equal(await bench.catalog.statusAtAgent(session.id), 'open');
    await chat('another');
    await bench.sessions.close(session);
    assert.equal(await bench.catalog.statusAtAgent(session.id), 'saved');
  });

  it('shows running, waiting and unread sessions', async () => {
    await open();
    const first = await chat('hello');
    const turn = first.send('permission t1 allow_once:Yes\ntext more');
    await bench.until((state) => state.waiting.length > 0);
    bench.sessions.newChat();
    assert.equal(item('hello').status, 'waiting');
    let changes = 0;
    bench.catalog.onDidChange(() => changes++);
    const permission = Array.from(entriesFrom(first.state.entries)).find(
      ([, entry]) => entry.kind === 'permission',
    )?.[1];
    first.userRequests.answer(permission?.kind === 'permission' ? permission.permissionId : '', 'allow_once');
    assert.equal(item('hello').status, 'running');
    await turn;
    assert.equal(item('hello').status, 'unread');
    assert.ok(changes >= 2);
    await bench.catalog.open(first.id);
    assert.equal(item('hello').status, 'idle');
  });

  it('notifies the agent and the services when a session is closed, and removes it from memory', async () => {
    await open();
    const first = await chat('hello');
    const agentId = first.state.agentSession?.id;
    await chat('another');
    await bench.sessions.close(first);
    assert.equal(bench.sessions.getOpen(first.id), undefined);
    assert.deepEqual(bench.closed, [agentId]);
    await bench.catalog.open(first.id);
    assert.ok(bench.methods().includes('session/close'));
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["hello"\]\]/);
  });

  it('keeps a limited number of sessions in memory without losing any', async () => {
    await open();
    for (let index = 0; index < 16; index++) await chat(`chat ${index}`);
    await bench.sessions.flush();
    assert.ok(bench.sessions.allOpen().length <= 12, `${bench.sessions.allOpen().length} are open`);
    assert.equal(bench.catalog.items().length, 16);
    await bench.catalog.open(item('chat 0').id);
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["chat 0"\]\]/);
  });

  it('keeps sessions in memory that their agent could not resume', async () => {
    await open({});
    for (let index = 0; index < 14; index++) await chat(`chat ${index}`);
    assert.equal(bench.sessions.allOpen().length, 14);
  });
});
