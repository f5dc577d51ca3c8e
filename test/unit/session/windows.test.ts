import assert from 'node:assert/strict';
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event } from '../../../src/base/event';
import { nullLogger } from '../../../src/base/logger';
import { SessionLockedError } from '../../../src/history/sessionLocks';
import { SessionStore } from '../../../src/history/sessionStore';
import type { SessionSummary } from '../../../src/history/sessionSummary';
import { requestRelease, breakLock } from '../../../src/node/fs/fileLock';
import { WorkspaceStateFile } from '../../../src/node/fs/workspaceStateFile';
import type { LiveSession } from '../../../src/session/liveSession';
import type { SessionsOptions } from '../../../src/session/sessionsOptions';
import type { TakenOverSession } from '../../../src/session/sessionTakeover';
import { releaseSession } from '../../../src/session/sessionTakeover';
import { DraftStore } from '../../../src/ui/chat/draftStore';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { SessionBench } from './sessionBench';

const CAPABILITIES = JSON.stringify({ loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } });

describe('two windows without a folder, which share their storage', function () {
  let one: SessionBench;
  let two: SessionBench;
  let session: LiveSession;

  /** A window of the same folder; both are in this process, and each treats the other as another window. */
  const open = (folder?: string, options: Partial<SessionsOptions> = {}): Promise<SessionBench> =>
    SessionBench.open({
      env: { FAKE_CAPABILITIES: CAPABILITIES },
      sessions: { isShared: true, ...options },
      ...(folder !== undefined && { folder }),
    });

  beforeEach(async () => {
    one = await open();
    session = one.session;
    await session.send('text said in the first window');
    await one.sessions.flush();
    two = await open(one.folder);
  });
  afterEach(async () => {
    await two.closeWindow();
    await one.close();
  });

  const refusesTo = (job: () => Promise<unknown>): Promise<void> =>
    assert.rejects(job, (error: unknown) => {
      assert.ok(error instanceof SessionLockedError);
      assert.equal(error.message, 'This session is open in another window.');
      assert.equal(error.session, session.id);
      return true;
    });

  it('never write to a session simultaneously: the second reads it, and owns it after the first has closed it', async () => {
    const { catalog, sessions } = two;
    const { id } = session;
    assert.ok(catalog.item(id), 'it is in the list');
    await refusesTo(() => catalog.open(id));
    await refusesTo(() => sessions.open.load(id));
    assert.throws(() => sessions.open.create(id), SessionLockedError);
    await refusesTo(() => catalog.rename(id, 'other'));
    await refusesTo(() => catalog.setArchived(id, true));
    await refusesTo(() => catalog.hide(id));
    await refusesTo(() => catalog.remove(id));
    assert.ok(sessions.open.isElsewhere(id) && !sessions.open.isAvailable(id));
    assert.match(JSON.stringify((await catalog.transcript(id))?.entries), /said in the first window/);
    await session.send('text said later');
    await one.sessions.close(session);
    await catalog.open(id);
    assert.match(two.text, /said later/);
    await refusesTo(() => one.catalog.open(id));
  });

  /** Resolves with the next value. */
  const next = <T>(event: Event<T>): Promise<T> =>
    new Promise((resolve) => {
      const subscription = event((value) => {
        subscription.dispose();
        resolve(value);
      });
    });

  it('take over a session from each other with all entries; the other window reads it', async () => {
    const { id } = session;
    void session.send('text half of an ans\nuntil-cancel');
    await one.until((state) => JSON.stringify(state.entries).includes('half of an ans'));
    const gone = next(one.sessions.onDidLoseSession);
    const taken = await two.sessions.takeOver(id);
    assert.deepEqual(await gone, { id, title: 'text said in the first window' } satisfies TakenOverSession);
    assert.equal(one.sessions.getOpen(id), undefined);
    assert.notEqual(one.sessions.viewSession.id, id);
    await two.catalog.open(id);
    taken.dispose();
    assert.match(two.text, /said in the first window[^]*half of an ans/);
    assert.match(two.text, /Canceled|cancelled/i);
    await refusesTo(() => one.catalog.open(id));
    assert.match(JSON.stringify((await one.catalog.transcript(id))?.entries), /half of an ans/);

    await two.send('text said in the second window');
    const back = await one.sessions.takeOver(id);
    await one.catalog.open(id);
    back.dispose();
    assert.match(one.text, /half of an ans[^]*said in the second window/);
    await one.send('text and back in the first');
    assert.match(one.text, /and back in the first/);
  });

  it('stop writing to a session that was taken over, and keep later updates as a copy', async () => {
    const { id } = session;
    const gone = next(one.sessions.onDidLoseSession);
    // As the other window does when this one does not respond.
    const claims = join(one.folder, 'sessions', 'claims');
    const asking = requestRelease(claims, id);
    breakLock(claims, id);
    session.dispatch({ type: 'noticeShown', severity: 'info', title: 'came in too late', text: '', at: 1 });
    assert.equal((await gone).copy, 'text said in the first window (copy)');
    asking.dispose();
    await two.catalog.open(id);
    await two.send('text goes on');
    await two.sessions.flush();
    const written = await readFile(join(one.folder, 'sessions', `${id}.jsonl`), 'utf8');
    assert.match(written, /goes on/);
    assert.ok(!written.includes('too late'));
    const copy = one.catalog.items().find(({ title }) => title.endsWith('(copy)'));
    assert.ok(copy);
    const kept = await one.catalog.transcript(copy.id);
    assert.match(JSON.stringify(kept?.entries), /said in the first window[^]*came in too late/);
    assert.deepEqual([kept?.agentSession, kept?.hasUnknownEntries], [undefined, true]);
  });

  const late = { type: 'noticeShown', severity: 'info', title: 'came in too late', text: '', at: 1 } as const;
  /** Content of the copy of a session that this window has lost. */
  const copied = async ({ catalog }: SessionBench): Promise<string> => {
    const copy = catalog.items().find(({ title }) => title.endsWith('(copy)'));
    return JSON.stringify(copy && (await catalog.transcript(copy.id)));
  };

  it('copy unwritten updates if the session is taken while they release it', async () => {
    session.dispatch(late);
    const leaving = releaseSession(session, one.sessions.store, (closing) => one.sessions.close(closing));
    breakLock(join(one.folder, 'sessions', 'claims'), session.id);
    assert.equal((await leaving).copy, 'text said in the first window (copy)');
    await one.sessions.refresh();
    assert.match(await copied(one), /said in the first window[^]*came in too late/);
  });

  it('report that unwritten updates could not be copied', async () => {
    const three = await open(undefined, { onHistoryError: () => undefined });
    await three.send('text said in the third window');
    await three.sessions.flush();
    const folder = join(three.folder, 'sessions');
    three.sessions.onDidClose(() => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
    });
    const leaving = next(three.sessions.onDidLoseSession);
    breakLock(join(folder, 'claims'), three.session.id);
    three.session.dispatch(late);
    const gone = await leaving;
    assert.equal(gone.copy, undefined);
    assert.match(gone.failure ?? '', /not a directory|ENOTDIR|ENOENT/i);
    await three.close();
  });

  it('copy only their own updates, and no message queued in the other window', async () => {
    const { id } = session;
    const file = join(one.folder, 'sessions', `${id}.jsonl`);
    await one.sessions.close(session);
    const mine = await two.sessions.open.load(id);
    assert.ok(mine);
    const gone = next(two.sessions.onDidLoseSession);
    breakLock(join(one.folder, 'sessions', 'claims'), id);
    const theirs = { ...late, title: 'said in the other window' };
    appendFileSync(file, `${JSON.stringify({ action: theirs })}\n`);
    mine.dispatch(late);
    assert.ok((await gone).copy);
    const copy = await copied(two);
    assert.match(copy, /said in the first window[^]*came in too late/);
    assert.ok(!copy.includes('said in the other window'));
  });

  it('copy messages that were queued too late, but none that the other window has', async () => {
    const { id } = session;
    const queued = (text: string): void => {
      session.dispatch({ type: 'messageQueued', message: { id: text, text, attachments: [], at: 1 } });
    };
    session.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 1 });
    queued('waits there');
    await session.history.flush();
    const gone = next(one.sessions.onDidLoseSession);
    breakLock(join(one.folder, 'sessions', 'claims'), id);
    queued('queued too late');
    assert.ok((await gone).copy);
    const copy = await copied(one);
    assert.match(copy, /queued too late/);
    assert.ok(!copy.includes('waits there'));
  });

  it('do not overwrite the summary of the new owner', async () => {
    const { id } = session;
    void session.send('until-cancel');
    await one.until(({ turn }) => turn.status === 'running');
    await one.sessions.flush();
    const gone = next(one.sessions.onDidLoseSession);
    const file = join(one.folder, 'sessions', `${id}.summary.json`);
    const summary = one.sessions.store.get(id);
    breakLock(join(one.folder, 'sessions', 'claims'), id);
    writeFileSync(file, JSON.stringify({ ...summary, title: 'Named', renamed: true }));
    await gone;
    await one.sessions.flush();
    assert.match(await readFile(file, 'utf8'), /"Named"/);
  });

  it('keep their sessions after the folder of locks was deleted', async () => {
    const claims = join(one.folder, 'sessions', 'claims');
    for (const name of await readdir(claims)) await rm(join(claims, name));
    await session.send('text goes on');
    assert.equal(one.sessions.getOpen(session.id), session);
    await refusesTo(() => two.catalog.open(session.id));
  });

  it('see the sessions of each other when they refresh', async () => {
    one.sessions.newChat('fake');
    await one.send('text begun later');
    await one.sessions.flush();
    const titles = (): string[] => two.catalog.items().map(({ title }) => title);
    assert.ok(!titles().includes('text begun later'));
    await two.catalog.refresh();
    assert.ok(titles().includes('text begun later'));
    await one.catalog.remove(one.session.id);
    await two.catalog.refresh();
    assert.ok(!titles().includes('text begun later'));
  });

  it('do not overwrite each other’s session titles', async () => {
    one.sessions.newChat('fake');
    await one.send('text named later');
    await one.sessions.flush();
    await two.catalog.refresh();
    const { id } = one.session;
    await one.catalog.rename(id, 'Named');
    await one.sessions.close(one.session);
    await one.sessions.flush();
    await two.catalog.setArchived(id, true);
    assert.equal(two.catalog.items().find((item) => item.id === id)?.title, 'Named');
  });

  it('never delete sessions that the other window has open', async () => {
    const now = Date.now() + 900 * 24 * 60 * 60_000;
    assert.deepEqual(await two.sessions.store.prune({ maxAgeDays: 1, maxSizeMB: 0 }, two.sessions.open, now), []);
    assert.ok(existsSync(join(one.folder, 'sessions', `${session.id}.jsonl`)));
  });

  it('never purge a session that the other window can restore, has restored, or has open', async () => {
    const { id } = session;
    const later = (): number => Date.now() + 60 * 60_000;
    const file = join(one.folder, 'sessions', `${id}.jsonl`);
    await one.catalog.hide(id);
    await one.sessions.flush();
    await two.catalog.refresh();
    for (const window of [one, two]) await window.catalog.purge(later());
    assert.ok(existsSync(file), 'the first window offers to undo the deletion');
    one.catalog.unhide(id);
    await one.sessions.flush();
    await two.catalog.purge(later());
    assert.ok(existsSync(file), 'it was restored');
    await one.catalog.hide(id);
    await one.sessions.flush();
    await two.catalog.refresh();
    one.catalog.unhide(id);
    await one.catalog.open(id);
    await two.catalog.purge(later());
    assert.ok(existsSync(file), 'it is open');
    assert.equal(one.sessions.getOpen(id)?.state.entries.count, 2);
  });

  it('both remember deleted agent sessions', async () => {
    one.sessions.store.markDeleted('fake', 'a');
    await one.sessions.store.flush();
    two.sessions.store.markDeleted('fake', 'b');
    await two.sessions.store.flush();
    const kept = await readFile(join(one.folder, 'sessions', 'deleted.json'), 'utf8');
    assert.match(kept, /a[^]*b/);
    assert.ok(two.sessions.store.isDeleted('fake', 'a'));
  });
});

describe('the memento that windows share', function () {
  let folder = '';
  beforeEach(() => (folder = temporaryFolder()));

  const open = (): Promise<WorkspaceStateFile> => WorkspaceStateFile.open(join(folder, 'state.json'), nullLogger);

  it('keeps the values of both windows', async () => {
    const [one, two] = [await open(), await open()];
    await one.update('a', 1);
    await two.update('b', 2);
    await one.update('c', 3);
    await two.update('a', undefined);
    const kept = await open();
    assert.deepEqual([kept.get('a'), kept.get('b'), kept.get('c'), kept.keys()], [undefined, 2, 3, ['b', 'c']]);
  });

  it('keeps the drafts of both windows', async () => {
    const [first, second] = [await open(), await open()];
    const [one, two] = [new DraftStore(first), new DraftStore(second)];
    one.set('x', { text: 'in one', at: 1 }, undefined);
    await first.flush();
    two.set('y', { text: 'in two', at: 2 }, undefined);
    await second.flush();
    one.set('x', { text: 'in one, later', at: 3 }, undefined);
    await first.flush();
    const kept = new DraftStore(await open());
    assert.deepEqual([kept.get('x')?.text, kept.get('y')?.text], ['in one, later', 'in two']);
  });

  it('restores its known values when the file is damaged', async () => {
    const state = await open();
    await state.update('a', 1);
    await rm(join(folder, 'state.json'));
    await state.update('b', 2);
    const kept = await open();
    assert.deepEqual([kept.get('a'), kept.get('b')], [1, 2]);
  });

  const kept = async (): Promise<unknown> => JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));

  it('keeps all values that windows write at the same time', async () => {
    const [one, two] = [await open(), await open()];
    const wanted: Record<string, number> = {};
    for (let round = 0; round < 10; round++) {
      wanted[`one${round}`] = round;
      wanted[`two${round}`] = round;
      await Promise.all([one.update(`one${round}`, round), two.update(`two${round}`, round)]);
    }
    assert.deepEqual(await kept(), wanted);
  });

  it('does not replace an unreadable file, and is written when the file is readable', async () => {
    const file = join(folder, 'state.json');
    await symlink(file, file);
    const state = await open();
    await state.update('a', 1);
    await state.flush();
    assert.ok((await lstat(file)).isSymbolicLink());
    await rm(file);
    await writeFile(file, '{"b":2}');
    await state.flush();
    assert.deepEqual(await kept(), { b: 2, a: 1 });
  });

  it('keeps a copy of a damaged file', async () => {
    await writeFile(join(folder, 'state.json'), '{"a":');
    const state = await open();
    await state.update('b', 2);
    assert.deepEqual(await kept(), { b: 2 });
    assert.equal(await readFile(join(folder, 'state.json.damaged'), 'utf8'), '{"a":');
  });
});

describe('the list of sessions that windows share', function () {
  let folder = '';
  beforeEach(() => (folder = temporaryFolder()));

  const open = (): Promise<SessionStore> => SessionStore.open(folder, nullLogger);
  const titled = (title: string, id = 'one'): SessionSummary => {
    return { id, title, renamed: true, updatedAt: 1, archived: false };
  };
  const deleted = async (): Promise<unknown[]> =>
    JSON.parse(await readFile(join(folder, 'deleted.json'), 'utf8')) as unknown[];

  it('is never older than in this window while it is written', async () => {
    const shelf = await open();
    await shelf.add(titled('0'), [{ type: 'sessionRenamed', title: '0' }], new Map());
    await shelf.flush();
    for (let round = 1; round <= 100; round++) {
      const looking = round % 2 === 0 ? shelf.rescan(() => false) : undefined;
      shelf.saveSummary(titled(String(round)));
      await Promise.all([looking, shelf.rescan(() => false)]);
      assert.equal(shelf.get('one')?.title, String(round));
    }
    await shelf.flush();
  });

  it('is rebuilt from the transcripts, and stored', async () => {
    const shelf = await open();
    for (const id of ['one', 'two']) {
      await shelf.add(titled(id, id), [{ type: 'sessionRenamed', title: id }], new Map());
    }
    await shelf.flush();
    const files = ['one', 'two'].map((id) => join(folder, `${id}.summary.json`));
    for (const file of files) await rm(file);
    const again = await open();
    await again.flush();
    for (const [at, file] of files.entries()) {
      assert.equal((JSON.parse(await readFile(file, 'utf8')) as SessionSummary).title, ['one', 'two'][at]);
    }
  });

  it('keeps all deletions of two windows at the same time', async () => {
    const shelves = [await open(), await open()];
    for (let at = 0; at < 10; at++) {
      for (const [of, shelf] of shelves.entries()) shelf.markDeleted('fake', `${of}-${at}`);
      await Promise.all(shelves.map((shelf) => shelf.flush()));
    }
    assert.equal((await deleted()).length, 20);
  });

  it('is written at the end if it could not be written before', async () => {
    const shelf = await open();
    await shelf.add(titled('before'), [{ type: 'sessionRenamed', title: 'before' }], new Map());
    await shelf.flush();
    // A link to itself cannot be read by any user.
    const blocked = join(folder, 'deleted.json');
    await symlink(blocked, blocked);
    shelf.markDeleted('fake', 'a');
    shelf.saveSummary(titled('after'));
    await shelf.flush();
    await shelf.rescan(() => false);
    assert.equal(shelf.get('one')?.title, 'after');
    assert.ok((await lstat(blocked)).isSymbolicLink());
    await rm(blocked);
    await shelf.flush();
    assert.equal((await deleted()).length, 1);
    assert.equal((await open()).get('one')?.title, 'after');
  });
});
