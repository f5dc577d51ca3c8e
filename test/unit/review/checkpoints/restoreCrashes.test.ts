// Imported first: later imports get this stub of `vscode`.
import { dialogs, workspaceStub } from '../editor/editorStub';
import assert from 'node:assert/strict';
import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import { Lazy } from '../../../../src/base/lazy';
import type { InterruptedChange } from '../../../../src/review/checkpoints/changeCheckpoint';
import type { WorkspaceCheckpoints } from '../../../../src/review/checkpoints/workspaceCheckpoints';
import { offerInterrupted } from '../../../../src/review/editor/offerInterrupted';
import { RestoreCheckpoint } from '../../../../src/review/editor/restoreCheckpoint';
import { writeContent } from '../../../../src/review/storage/fileContent';
import type { Session } from '../../../../src/session/session';
import type { Notice } from '../../../../src/workbench/notice';
import { makeTemporaryFolder, removeFolder } from '../../../host/workspace.mjs';
import { folderTemplate } from '../../../kit/folderTemplate';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld, filesOf } from '../diskWorld';

const NAMES = ['a.txt', 'b.txt', 'c.txt'];
const BEFORE = { 'a.txt': '- before\n', 'b.txt': '- before\n', 'c.txt': '- before\n' };
const AFTER = { 'a.txt': '- after\n', 'b.txt': '- after\n', 'd.txt': '- new\n' };

describe('a window that ends during a restore', () => {
  let world: DiskWorld;
  /** All tests use one place, because checkpoints store paths. */
  let place: string;

  const afterTurn = folderTemplate(async () => {
    world = await DiskWorld.open('git', place);
    for (const name of NAMES) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'after\n');
    await rm(world.at('c.txt'));
    await writeFile(world.at('d.txt'), 'new\n');
    await world.end();
    await world.file.write();
    return place;
  });

  async function openWith(files: (to: string) => Promise<void>): Promise<void> {
    await files(place);
    world = await DiskWorld.reopen(place);
  }

  const afterCrash = [0, 1, 2, 3].map((number) =>
    folderTemplate(async () => {
      await openWith(afterTurn);
      await crashAt(number, () => world.checkpoints.restore('s', 0));
      return place;
    }),
  );

  /** The next window after a restore that wrote this number of files. */
  const openAfterCrash = (number: number): Promise<void> => openWith(afterCrash[number] ?? assert.fail());

  before(async () => {
    place = await realpath(await makeTemporaryFolder('restore-crashes'));
  });

  beforeEach(() => {
    dialogs.asked.length = 0;
    dialogs.answers = [];
  });

  afterEach(async () => {
    await world.close();
    await mkdir(place);
  });

  after(() => removeFolder(place));

  /** The window ends when the restore, or undo, writes its file with this number; nothing of it runs any more. */
  async function crashAt(number: number, restore: () => Promise<unknown>): Promise<void> {
    const reached = createDeferred<void>();
    let count = 0;
    Object.assign(world.files, {
      write: (path: string, next: never): Promise<void> => {
        if (count++ < number) return writeContent(path, next);
        reached.resolve();
        return new Promise(() => undefined);
      },
    });
    void restore();
    await reached.promise;
    world = await DiskWorld.reopen(world.base);
  }

  /** What the next window asks, with the answers of the user; none closes the dialog. */
  async function start(...answers: readonly string[]): Promise<string[]> {
    dialogs.asked.length = 0;
    dialogs.answers = answers.map((answer) => () => answer);
    const interrupted = await world.checkpoints.endInterrupted();
    await new RestoreCheckpoint(world.checkpoints, () => true).showInterrupted(interrupted);
    return [...dialogs.asked];
  }

  it('names a file that could not be written, and offers to finish it again, at once and at the next start', async () => {
    await openAfterCrash(1);
    const write = world.files.write.bind(world.files);
    failAt('b.txt');
    const asked = await start('Finish Restore');
    assert.match(asked[0] ?? '', /Not restored yet: a\.txt, b\.txt, c\.txt$/);
    assert.match(asked[1] ?? '', /b\.txt: The disk is full\.$/);
    assert.equal(asked.length, 2);
    assert.deepEqual(await filesOf(world.folder), { ...BEFORE, 'b.txt': '- after\n' });
    Object.assign(world.files, { write });
    world = await DiskWorld.reopen(world.base);
    assert.equal((await start('Finish Restore')).length, 1);
    assert.deepEqual(await filesOf(world.folder), BEFORE);
    assert.deepEqual(await start(), [], 'it has ended');
  });

  const failAt = (name: string): void => {
    const fail = (path: string, next: never): Promise<void> =>
      path.endsWith(name) ? Promise.reject(new Error('The disk is full.')) : writeContent(path, next);
    Object.assign(world.files, { write: fail });
  };

  it('leaves a file that cannot be written if the user says so, and does not ask at the next start', async () => {
    await openAfterCrash(1);
    failAt('b.txt');
    await start('Finish Restore', 'Leave Files');
    const left = 'VS Code stopped while files were being restored. Not restored yet: b.txt';
    assert.deepEqual(world.leftRestores, [left], 'in the transcript');
    world = await DiskWorld.reopen(world.base);
    assert.deepEqual(await start(), []);
    assert.deepEqual(await filesOf(world.folder), { ...BEFORE, 'b.txt': '- after\n' });
  });

  it('offers it again after a Cancel', async () => {
    await openAfterCrash(2);
    await writeFile(world.at('b.txt'), 'later\n');
    world = await DiskWorld.reopen(world.base);
    const canceled = await start('Finish Restore', '', 'Undo Restore', 'Undo Restore');
    assert.equal(canceled.length, 4);
    assert.deepEqual(await filesOf(world.folder), AFTER);
  });

  it('offers both again if a file could not be written when it went back', async () => {
    await openAfterCrash(2);
    failAt('a.txt');
    await start('Undo Restore');
    assert.deepEqual(await filesOf(world.folder), { ...AFTER, 'a.txt': '- before\n' });
    world = await DiskWorld.reopen(world.base);
    assert.equal((await start('Undo Restore')).length, 1);
    assert.deepEqual(await filesOf(world.folder), AFTER);
    world = await DiskWorld.reopen(world.base);
    assert.deepEqual(await start(), [], 'it has ended');
  });

  it('offers it after another restore, until the user answers', async () => {
    await openWith(afterTurn);
    await writeFile(world.at('a.txt'), 'user\n');
    await world.begin(1);
    await writeFile(world.at('b.txt'), 'later\n');
    await world.end();
    await world.file.write();
    await crashAt(1, () => world.checkpoints.restore('s', 0));
    assert.equal((await start()).length, 1);
    await world.checkpoints.restore('s', 1);
    world = await DiskWorld.reopen(world.base);
    // Asked again, because another restore has changed files since.
    await start('Undo Restore', 'Undo Restore');
    assert.deepEqual(await filesOf(world.folder), { ...AFTER, 'a.txt': '- user\n', 'b.txt': '- later\n' });
    assert.deepEqual(await start(), [], 'it has ended');
  });

  it('can be undone again if a file could not be written: the notice and the transcript offer it', async () => {
    await openWith(afterTurn);
    const { undoId = '' } = await world.checkpoints.restore('s', 0);
    const notices: (Notice | undefined)[] = [];
    const restore = new RestoreCheckpoint(
      world.checkpoints,
      () => true,
      (notice) => notices.push(notice),
    );
    const write = world.files.write.bind(world.files);
    failAt('a.txt');
    await restore.undo(stubOf<Session>({ id: 's', state: world.state }), undoId);
    assert.deepEqual([notices[0]?.button?.label, world.partialUndos], ['Undo Restore', [true]]);
    Object.assign(world.files, { write });
    await notices[0]?.button?.run();
    assert.deepEqual([notices[1], world.partialUndos], [undefined, [true, false]]);
    assert.deepEqual(await filesOf(world.folder), AFTER);
  });

  it('offers to finish it', async () => {
    await openAfterCrash(2);
    const [question = ''] = await start('Finish Restore');
    assert.match(question, /stopped while files were being restored/);
    assert.deepEqual(await filesOf(world.folder), BEFORE);
    assert.deepEqual(world.review.files(), []);
    assert.deepEqual(await start(), [], 'it has ended');
  });

  it('offers to go back', async () => {
    await openAfterCrash(2);
    await start('Undo Restore');
    assert.deepEqual(await filesOf(world.folder), AFTER);
    assert.deepEqual(
      world.review.files().map(({ label, status }) => [label, status]),
      [
        ['a.txt', 'changed'],
        ['b.txt', 'changed'],
        ['c.txt', 'deleted'],
        ['d.txt', 'created'],
      ],
    );
    assert.deepEqual(await start(), [], 'it has ended');
  });

  for (const bad of ['without git', 'without the folder']) {
    it(`says at a start ${bad} that nobody knows, and offers it at the next one`, async () => {
      await openAfterCrash(2);
      const away = `${world.folder}-away`;
      if (bad === 'without the folder') await rename(world.folder, away);
      world = await DiskWorld.reopen(world.base, bad === 'without git' ? 'no-such-git' : 'git');
      const [said = '', ...more] = await start();
      assert.match(said, /cannot check them now/);
      assert.deepEqual(more, []);
      if (bad === 'without the folder') {
        await rm(world.folder, { recursive: true, force: true });
        await rename(away, world.folder);
      }
      world = await DiskWorld.reopen(world.base);
      await start('Undo Restore');
      assert.deepEqual(await filesOf(world.folder), AFTER);
    });
  }

  it('says in an untrusted workspace that nobody knows, and offers it once when that becomes trusted', async () => {
    await openAfterCrash(2);
    world.isTrusted = false;
    const trust = new Emitter<void>();
    Object.assign(workspaceStub, { onDidGrantWorkspaceTrust: trust.event });
    const shown: boolean[] = [];
    let [looks, didLook] = [0, createDeferred<void>()];
    const showInterrupted = async (changes: readonly InterruptedChange[]): Promise<void> => {
      shown.push(...changes.map(({ unread }) => unread === undefined));
    };
    const endInterrupted = async (): Promise<readonly InterruptedChange[]> => {
      const found = await world.checkpoints.endInterrupted();
      looks++;
      // After the caller has shown them.
      setImmediate(() => didLook.resolve());
      return found;
    };
    const offer = offerInterrupted(
      stubOf<WorkspaceCheckpoints>({ endInterrupted }),
      new Lazy(async () => stubOf<RestoreCheckpoint>({ showInterrupted })),
    );
    await didLook.promise;
    assert.deepEqual([looks, shown], [1, [false]]);
    world.isTrusted = true;
    for (const count of [2, 3]) {
      didLook = createDeferred();
      trust.fire();
      await didLook.promise;
      assert.deepEqual([looks, shown], [count, [false, true]]);
    }
    offer.dispose();
  });

  it('offers it again at each start until the user answers', async () => {
    await openAfterCrash(2);
    assert.equal((await start()).length, 1);
    world = await DiskWorld.reopen(world.base);
    assert.equal((await start('Undo Restore')).length, 1);
    assert.deepEqual(await filesOf(world.folder), AFTER);
  });

  it('offers it though checkpoints take too much space', async () => {
    await openAfterCrash(2);
    assert.equal((await start()).length, 1);
    world.maxSizeMB = 0;
    await world.checkpoints.prune();
    world = await DiskWorld.reopen(world.base);
    await start('Undo Restore');
    assert.deepEqual(await filesOf(world.folder), AFTER);
  });

  it('goes back also if that is cut off, too', async () => {
    await openAfterCrash(2);
    const [change] = await world.checkpoints.endInterrupted();
    await crashAt(1, () => world.checkpoints.undoRestore('s', change?.undoId ?? ''));
    await start('Finish Restore');
    assert.deepEqual(await filesOf(world.folder), AFTER);
    assert.deepEqual(await start(), []);
  });

  it('asks before it replaces what was written since', async () => {
    await openAfterCrash(2);
    assert.equal((await start()).length, 1);
    await writeFile(world.at('b.txt'), 'later\n');
    world = await DiskWorld.reopen(world.base);
    const asked = await start('Finish Restore');
    assert.equal(asked.length, 3);
    assert.match(asked[1] ?? '', /changed since the restore was interrupted.*\n• b\.txt will be changed$/);
    assert.equal((await filesOf(world.folder))['b.txt'], '- later\n');
  });

  for (const answer of ['Finish Restore', 'Undo Restore'])
    it(`asks before it replaces what was written before the next start: ${answer}`, async () => {
      await openAfterCrash(3);
      await writeFile(world.at('b.txt'), 'later\n');
      const asked = await start(answer);
      assert.match(asked[1] ?? '', /changed since [^•]*\n• b\.txt will be changed$/);
      assert.equal((await filesOf(world.folder))['b.txt'], '- later\n');
    });

  it('asks only about what was written since, also after a finish that is cut off, too', async () => {
    await openAfterCrash(1);
    const [change] = await world.checkpoints.endInterrupted();
    await crashAt(2, () => world.checkpoints.finishRestore('s', change?.undoId ?? ''));
    await writeFile(world.at('b.txt'), 'later\n');
    const asked = await start('Undo Restore');
    assert.match(asked[1] ?? '', /changed since they were restored.*\n• b\.txt will be changed$/);
  });

  it('says nothing if it has changed no file', async () => {
    await openAfterCrash(0);
    assert.deepEqual(await start(), []);
    assert.deepEqual(await filesOf(world.folder), AFTER);
  });
});
