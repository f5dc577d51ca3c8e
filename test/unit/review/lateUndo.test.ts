import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import type { RestoreChange } from '../../../src/review/checkpoints/restorePlan';
import { DiskWorld, filesOf } from './diskWorld';

/** An Undo button may be pressed long after it was shown: later changes must not be undone silently. */
describe('a late undo', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'before\n');
  });

  afterEach(() => world.close());

  async function turn(entry: number, texts: Readonly<Record<string, string>>): Promise<void> {
    await world.begin(entry);
    for (const [name, text] of Object.entries(texts)) await writeFile(world.at(name), text);
    await world.end();
  }

  async function restore(): Promise<string> {
    const { problems, undoId } = await world.checkpoints.restore('s', 0);
    assert.deepEqual(problems, []);
    return undoId ?? '';
  }

  const changes = async (undoId: string): Promise<readonly RestoreChange[]> => {
    const preview = await world.checkpoints.previewUndo('s', undoId);
    return preview.type === 'ready' ? preview.changes : [];
  };

  const later = async (undoId: string): Promise<string[]> => {
    const preview = await world.checkpoints.previewUndo('s', undoId);
    assert.ok(preview.type === 'ready');
    return preview.changes.filter((change) => change.isLater).map(({ label, status }) => `${label} ${status}`);
  };

  it('of a restore keeps later changes of a turn and lists them, until the user confirms', async () => {
    await turn(0, { 'a.txt': 'first\n', 'made.txt': 'first\n' });
    const first = await filesOf(world.folder);
    const undoId = await restore();
    await turn(1, { 'b.txt': 'second\n', 'other.txt': 'second\n' });
    const second = await filesOf(world.folder);
    assert.deepEqual(await later(undoId), ['b.txt changed', 'other.txt deleted']);
    const refused = await world.checkpoints.undoRestore('s', undoId);
    assert.match(refused.problems[0]?.message ?? '', /changed since they were restored/);
    assert.deepEqual(await filesOf(world.folder), second);
    assert.deepEqual(
      world.review.files().map(({ label }) => label),
      ['b.txt', 'other.txt'],
    );
    assert.deepEqual((await world.checkpoints.undoRestore('s', undoId, await changes(undoId))).problems, []);
    assert.deepEqual(await filesOf(world.folder), first);
  });

  it('of a restore overwrites nothing that was written during its confirmation', async () => {
    await turn(0, { 'a.txt': 'first\n' });
    const undoId = await restore();
    await writeFile(world.at('a.txt'), 'seen\n');
    const seen = await changes(undoId);
    for (const name of ['a.txt', 'b.txt', 'new.txt']) {
      const { [name]: before } = await filesOf(world.folder);
      await writeFile(world.at(name), 'not seen\n');
      const now = await filesOf(world.folder);
      const { problems } = await world.checkpoints.undoRestore('s', undoId, seen);
      assert.match(problems[0]?.message ?? '', /changed since they were restored/, name);
      assert.deepEqual(await filesOf(world.folder), now);
      if (before === undefined) await rm(world.at(name));
      else await writeFile(world.at(name), before.slice(2));
    }
    assert.deepEqual((await world.checkpoints.undoRestore('s', undoId, seen)).problems, []);
  });

  it('of a restore detects a file that was written again in the restored state', async () => {
    await turn(0, { 'a.txt': 'first\n' });
    const undoId = await restore();
    await writeFile(world.at('a.txt'), 'by the person\n');
    assert.deepEqual(await later(undoId), ['a.txt changed']);
    assert.equal((await world.checkpoints.undoRestore('s', undoId)).undoId, undefined);
    await writeFile(world.at('a.txt'), 'before\n');
    assert.deepEqual(await later(undoId), []);
  });

  it('of a restore needs no confirmation if nothing was written since', async () => {
    await turn(0, { 'a.txt': 'first\n', 'made.txt': 'first\n' });
    const first = await filesOf(world.folder);
    const undoId = await restore();
    assert.deepEqual(await later(undoId), []);
    assert.deepEqual((await world.checkpoints.undoRestore('s', undoId)).problems, []);
    assert.deepEqual(await filesOf(world.folder), first);
  });

  it('of Undo All redoes only its own changes, and only once', async () => {
    await turn(0, { 'a.txt': 'first\n' });
    const { step } = await world.review.undoAll();
    await turn(1, { 'b.txt': 'second\n' });
    await world.review.keepFile(world.at('b.txt'));
    assert.deepEqual((await world.review.undoStep(step ?? 0))?.problems, []);
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- first\n', 'b.txt': '- second\n' });
    assert.deepEqual(
      world.review.files().map(({ label }) => label),
      ['a.txt'],
    );
    assert.equal(await world.review.undoStep(step ?? 0), undefined);
  });
});
