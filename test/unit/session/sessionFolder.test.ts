import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject } from '../../../src/base/json';
import { foldersFrom, requireWorkspaceFolder } from '../../../src/session/sessionFolder';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { SessionBench } from './sessionBench';

/** Folders of the agent's sessions, as sent to the agent. */
function cwds(bench: SessionBench): unknown[] {
  const opening = ['session/new', 'session/load', 'session/resume'];
  const requests = bench.received().filter(({ method }) => opening.includes(String(method)));
  return requests.map(({ params }) => asObject(params)?.['cwd']);
}

describe('session: the folder', function () {
  let root: string;
  let [one, two, nested] = ['', '', ''];

  beforeEach(() => {
    root = temporaryFolder();
    [one, two] = [join(root, 'one'), join(root, 'two')];
    nested = join(two, 'päckages and more', 'a');
    for (const folder of [one, two, nested]) mkdirSync(folder, { recursive: true });
  });

  it('is sent with every request that opens the session, also after a reload', async () => {
    const sessions = { folders: () => [one, two] };
    const env = { FAKE_STORE: join(root, 'store'), FAKE_CAPABILITIES: JSON.stringify({ loadSession: true }) };
    const first = await SessionBench.open({ sessions, env });
    const { folder } = first;
    first.sessions.active.setFolder(nested);
    assert.deepEqual(first.sessions.active.folders, [two, one]);
    await first.sessions.active.send('hello');
    assert.equal(first.sessions.active.state.agentSession?.cwd, nested);
    const { id } = first.sessions.active;
    await first.closeWindow();
    const again = await SessionBench.open({ sessions, env, folder });
    try {
      const session = await again.catalog.open(id);
      assert.equal(session.cwd, nested);
      const sent = cwds(again);
      assert.deepEqual(sent, [nested, nested]);
      assert.equal(again.catalog.item(id)?.agentSession?.cwd, nested);
    } finally {
      await again.close();
    }
  });

  it('is sent without links if the agent refuses another name of the folder that it stored', async () => {
    symlinkSync(one, join(root, 'link'));
    const linked = join(root, 'link');
    const sessions = { folders: () => [linked] };
    const capabilities = JSON.stringify({ loadSession: true });
    const env = { FAKE_STORE: join(root, 'store'), FAKE_CAPABILITIES: capabilities, FAKE_REAL_FOLDER: '1' };
    const first = await SessionBench.open({ sessions, env });
    const { folder } = first;
    await first.sessions.active.send('text hello');
    const { id, state } = first.sessions.active;
    await first.closeWindow();
    const again = await SessionBench.open({ sessions, env, folder });
    try {
      const session = await again.catalog.open(id);
      assert.deepEqual(cwds(again), [linked, linked, one]);
      assert.deepEqual([session.cwd, session.state.agentSession], [linked, state.agentSession]);
    } finally {
      await again.close();
    }
  });

  it('is the default folder in a new chat', async () => {
    const bench = await SessionBench.open({ sessions: { folders: () => [one, two], initialFolder: () => two } });
    try {
      const { active } = bench.sessions;
      assert.equal(active.cwd, two);
      active.setFolder(one);
      assert.equal(active.cwd, one);
      assert.equal(bench.sessions.newChat().cwd, two);
    } finally {
      await bench.close();
    }
  });

  it('closes the agent’s session in the previous folder when it changes', async () => {
    const bench = await SessionBench.open({ sessions: { folders: () => [one, two] } });
    try {
      const { active } = bench.sessions;
      await active.chooseAgent('fake');
      assert.equal(active.state.agentSession?.cwd, one);
      active.setFolder(two);
      assert.deepEqual([active.state.agentSession, active.cwd], [undefined, two]);
      await active.send('hello');
      const sent = cwds(bench);
      assert.deepEqual(sent, [one, two]);
    } finally {
      await bench.close();
    }
  });

  it('is reported if it no longer exists, with a next step', async () => {
    const env = { FAKE_STORE: join(root, 'store'), FAKE_CAPABILITIES: JSON.stringify({ loadSession: true }) };
    const sessions = { folders: () => [one, two] };
    const first = await SessionBench.open({ sessions, env });
    const { folder } = first;
    first.sessions.active.setFolder(nested);
    await first.sessions.active.send('hello');
    const { id } = first.sessions.active;
    await first.closeWindow();
    renameSync(nested, `${nested}-moved`);
    const again = await SessionBench.open({ sessions, env, folder });
    try {
      const session = await again.catalog.open(id);
      const error = session.state.entries.pages.flat().find((entry) => entry.kind === 'error');
      assert.ok(error?.kind === 'error');
      assert.match(error.message, /päckages and more\/a of this session does not exist/);
      assert.deepEqual(error.remedies, ['chooseFolder', 'retry']);
      session.setFolder(two);
      await session.send('again');
      assert.equal(session.state.agentSession?.cwd, two);
      const prompt = JSON.stringify(again.received().findLast(({ method }) => method === 'session/prompt'));
      assert.match(prompt, /hello/, 'the earlier conversation goes along');
    } finally {
      await again.close();
    }
  });

  it('is inherited by a fork at a message', async () => {
    const bench = await SessionBench.open({ sessions: { folders: () => [one, two] } });
    try {
      const { active } = bench.sessions;
      active.setFolder(nested);
      await active.send('hello');
      const { forkFromEntry } = await import('../../../src/session/commands/forkFromEntry');
      const { nullLogger } = await import('../../../src/base/logger');
      for (const cut of [0, active.state.entries.count]) {
        const fork = await forkFromEntry(active, { cut, title: 'Fork' }, bench.sessions, nullLogger);
        assert.equal(fork.cwd, nested);
      }
    } finally {
      await bench.close();
    }
  });

  it('is rejected outside the workspace, also by a link', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(one, 'way-out'));
    writeFileSync(join(one, 'file'), '');
    const folders = [one, two];
    for (const path of [
      outside,
      `${one}-evil`,
      join(one, '..'),
      `${one}/../outside`,
      join(one, 'way-out'),
      'one',
      '',
      '\\\\host\\x',
    ]) {
      await assert.rejects(requireWorkspaceFolder(path, folders), { kind: 'outsideWorkspace' }, path);
    }
    for (const path of [join(one, 'missing'), join(one, 'file')])
      await assert.rejects(requireWorkspaceFolder(path, folders), { kind: 'folderNotFound' }, path);
    await assert.rejects(requireWorkspaceFolder(`${one}\0`, folders), { kind: 'outsideWorkspace' });
    assert.equal(await requireWorkspaceFolder(`${nested}/../a/`, folders), nested);
  });

  it('keeps its name below a workspace folder that is a link', async () => {
    const link = join(root, 'link');
    symlinkSync(two, link);
    assert.equal(
      await requireWorkspaceFolder(join(link, 'päckages and more'), [link]),
      join(link, 'päckages and more'),
    );
  });

  it('moves its workspace folder to the front of the list', () => {
    assert.deepEqual(foldersFrom('/w/b/x', ['/w/a', '/w/b', '/w/bc']), ['/w/b', '/w/a', '/w/bc']);
    assert.deepEqual(foldersFrom('/elsewhere', ['/w/a', '/w/b']), ['/w/a', '/w/b']);
  });
});
