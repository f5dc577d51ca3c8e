import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { OpenElsewhereError } from '../../../src/session/claim';
import { StateFile } from '../../../src/session/stateFile';
import type { Session } from '../../../src/session/session';
import { Drafts } from '../../../src/view/drafts';
import { SessionBench } from './bench';

const CAPABILITIES = JSON.stringify({ loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } });

describe('two windows without a folder, which share one place', function () {
  this.timeout(30_000);
  let one: SessionBench;
  let two: SessionBench;
  let session: Session;

  /** A window of the same place; both are this process, and each takes the other for another window. */
  const open = (folder?: string): Promise<SessionBench> =>
    SessionBench.open({
      env: { FAKE_CAPABILITIES: CAPABILITIES },
      sessions: { shared: true },
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
      assert.ok(error instanceof OpenElsewhereError);
      assert.equal(error.message, 'This session is open in another window.');
      assert.equal(error.session, session.id);
      return true;
    });

  it('never both write into a session: the second can read it, and has it when the first has closed it', async () => {
    const { catalog, sessions } = two;
    const { id } = session;
    assert.ok(catalog.item(id), 'it is in the list');
    await refusesTo(() => catalog.open(id));
    await refusesTo(() => sessions.load(id));
    assert.throws(() => sessions.create(id), OpenElsewhereError);
    await refusesTo(() => catalog.rename(id, 'other'));
    await refusesTo(() => catalog.setArchived(id, true));
    await refusesTo(() => catalog.hide(id));
    await refusesTo(() => catalog.remove(id));
    assert.ok(sessions.isElsewhere(id) && !sessions.isFree(id));
    assert.match(JSON.stringify((await catalog.transcript(id))?.entries), /said in the first window/);
    await session.send('text said later');
    await one.sessions.close(session);
    await catalog.open(id);
    assert.match(two.text, /said later/);
    await refusesTo(() => one.catalog.open(id));
  });

  it('know of each other’s sessions when they look', async () => {
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

  it('undo no name that the other has given', async () => {
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

  it('never drop what the other has open', async () => {
    const now = Date.now() + 900 * 24 * 60 * 60_000;
    assert.deepEqual(await two.sessions.shelf.prune({ maxAgeDays: 1, maxSizeMB: 0 }, two.sessions, now), []);
    assert.ok(existsSync(join(one.folder, 'sessions', `${session.id}.jsonl`)));
  });

  it('forget no session of an agent that either of them deleted', async () => {
    one.sessions.shelf.markDeleted('fake', 'a');
    await one.sessions.shelf.flush();
    two.sessions.shelf.markDeleted('fake', 'b');
    await two.sessions.shelf.flush();
    const kept = await readFile(join(one.folder, 'sessions', 'deleted.json'), 'utf8');
    assert.match(kept, /a[^]*b/);
    assert.ok(two.sessions.shelf.isDeleted('fake', 'a'));
  });
});

describe('the small values that windows share', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-state-'));
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  const open = (): Promise<StateFile> => StateFile.open(join(folder, 'state.json'), silentLog);

  it('are written by each window without undoing what the other has written', async () => {
    const [one, two] = [await open(), await open()];
    await one.update('a', 1);
    await two.update('b', 2);
    await one.update('c', 3);
    await two.update('a', undefined);
    const kept = await open();
    assert.deepEqual([kept.get('a'), kept.get('b'), kept.get('c'), kept.keys()], [undefined, 2, 3, ['b', 'c']]);
  });

  it('holds the drafts of both', async () => {
    const [first, second] = [await open(), await open()];
    const [one, two] = [new Drafts(first), new Drafts(second)];
    one.set('x', { text: 'in one', at: 1 }, undefined);
    await first.flush();
    two.set('y', { text: 'in two', at: 2 }, undefined);
    await second.flush();
    one.set('x', { text: 'in one, later', at: 3 }, undefined);
    await first.flush();
    const kept = new Drafts(await open());
    assert.deepEqual([kept.get('x')?.text, kept.get('y')?.text], ['in one, later', 'in two']);
  });

  it('are there again, as far as they are known here, when the file is damaged', async () => {
    const state = await open();
    await state.update('a', 1);
    await rm(join(folder, 'state.json'));
    await state.update('b', 2);
    const kept = await open();
    assert.deepEqual([kept.get('a'), kept.get('b')], [1, 2]);
  });
});
