// Imported first: later imports get this stub of `vscode`.
import { dialogs } from './editorStub';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { RestoreCheckpoint } from '../../../../src/review/editor/restoreCheckpoint';
import type { Session } from '../../../../src/session/session';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld, filesOf } from '../diskWorld';

describe('the confirmation of a late “Undo Restore”', () => {
  let world: DiskWorld;
  let undoId: string;

  beforeEach(async () => {
    dialogs.asked.length = 0;
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
    await writeFile(world.at('a.txt'), 'first\n');
    await world.end();
    undoId = (await world.checkpoints.restore('s', 0)).undoId ?? '';
  });

  afterEach(() => world.close());

  const undo = (): Promise<void> =>
    new RestoreCheckpoint(world.checkpoints, () => true).undo(
      stubOf<Session>({ id: 's', state: emptySession('s') }),
      undoId,
    );

  it('is not shown if nothing was written since', async () => {
    await undo();
    assert.deepEqual(dialogs.asked, []);
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- first\n', 'b.txt': '- before\n' });
  });

  it('names each file written since, and changes nothing if it is not given', async () => {
    await writeFile(world.at('b.txt'), 'later\n');
    const now = await filesOf(world.folder);
    dialogs.answers = [];
    await undo();
    assert.equal(dialogs.asked.length, 1);
    assert.match(dialogs.asked[0] ?? '', /changed since they were restored.*\n• b\.txt will be changed$/);
    assert.deepEqual(await filesOf(world.folder), now);
  });

  it('replaces the named files', async () => {
    await writeFile(world.at('b.txt'), 'later\n');
    dialogs.answers = [() => 'Undo Restore'];
    await undo();
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- first\n', 'b.txt': '- before\n' });
  });

  it('changes nothing if more was written meanwhile, and reports that', async () => {
    await writeFile(world.at('b.txt'), 'later\n');
    const answer = async (): Promise<string> => {
      await writeFile(world.at('a.txt'), 'meanwhile\n');
      return 'Undo Restore';
    };
    dialogs.answers = [answer];
    await undo();
    assert.match(dialogs.asked[1] ?? '', /changed since they were restored/);
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- meanwhile\n', 'b.txt': '- later\n' });
  });
});

describe('the confirmation of “Restore Checkpoint”', () => {
  it('covers only what it names: what was written while it was open stays, and is named', async () => {
    const world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
    for (const name of ['a.txt', 'c.txt']) await writeFile(world.at(name), 'after\n');
    await world.end();
    dialogs.asked.length = 0;
    const answer = async (): Promise<string> => {
      for (const name of ['b.txt', 'c.txt', 'new.txt']) await writeFile(world.at(name), 'user\n');
      return 'Restore Files';
    };
    dialogs.answers = [answer];
    const notices: string[] = [];
    const show = (notice?: { readonly text: string; readonly details?: readonly string[] }): void =>
      void notices.push(notice?.text ?? '', ...(notice?.details ?? []));
    await new RestoreCheckpoint(world.checkpoints, () => true, show).restore(
      stubOf<Session>({ id: 's', state: emptySession('s') }),
      0,
    );
    const user = '- user\n';
    assert.deepEqual(await filesOf(world.folder), {
      'a.txt': '- before\n',
      'b.txt': user,
      'c.txt': user,
      'new.txt': user,
    });
    for (const name of ['b.txt', 'c.txt', 'new.txt']) assert.ok(notices.join('\n').includes(name), name);
    await world.close();
  });
});
