import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { DiskWorld } from '../diskWorld';

/** Rows; every `step`th has the word. */
function rows(words: Readonly<Record<string, number>>, count = 60): string {
  const row = (at: number): string =>
    Object.entries(words).reduce((text, [word, step]) => (at % step === 0 ? word : text), 'row');
  return Array.from({ length: count }, (_, at) => `${row(at)} ${at}\n`).join('');
}

describe('a file that two chats changed', () => {
  let world: DiskWorld;
  const path = (): string => world.at('big.txt');
  const text = (): Promise<string> => readFile(path(), 'utf8');
  const edit = (id: string, next: string): Promise<unknown> =>
    world.tracker.runAgentEdit(id, path(), () => writeFile(path(), next));
  const counts = (id?: string): readonly (readonly number[])[] =>
    world.review.files(id).map(({ added, removed }) => [added, removed]);

  beforeEach(async () => {
    world = await DiskWorld.open();
    await writeFile(path(), rows({}));
    await edit('a', rows({ a: 3 }));
    await edit('b', rows({ a: 3, b: 5 }));
  });

  afterEach(() => world.close());

  it('counts the lines of each', () => {
    assert.deepEqual(counts(), [[28, 28]]);
    assert.deepEqual(counts('a'), [[16, 20]], 'four of the twenty are b’s now');
    assert.deepEqual(counts('b'), [[12, 12]]);
  });

  it('counts the lines of each in its turns', async () => {
    await world.turn(() => edit('b', rows({ a: 3, b: 5, c: 10 })), 0, 'b');
    assert.deepEqual(
      world.turnFiles.map(({ added, removed }) => [added, removed]),
      [[6, 6]],
    );
    await world.turn(
      async () => {
        await edit('a', rows({ d: 7, a: 3, b: 5, c: 10 }));
        await edit('b', rows({ d: 7, a: 3, b: 5, c: 10, e: 20 }));
      },
      1,
      'b',
    );
    assert.deepEqual(
      world.turnFiles.map(({ added, removed }) => [added, removed]),
      [[3, 3]],
    );
  });

  it('keeps the work of the other where one is undone, and redoes it', async () => {
    const { step, problems } = await world.review.undoAll('b');
    assert.deepEqual(problems, []);
    assert.equal(await text(), rows({ a: 3 }));
    assert.deepEqual([counts('a'), counts('b')], [[[20, 20]], []]);
    await world.review.undoStep(step ?? 0);
    assert.equal(await text(), rows({ a: 3, b: 5 }));
    assert.deepEqual([counts('a'), counts('b')], [[[16, 20]], [[12, 12]]]);
  });

  it('leaves what the other wrote over it, and says so', async () => {
    const { problems } = await world.review.undoAll('a');
    assert.equal(problems[0]?.message, 'Another chat changed the same lines, which stay.');
    assert.equal(await text(), rows({ b: 5 }));
    assert.deepEqual(counts('b'), [[12, 12]]);
  });

  it('knows whose a hunk is', async () => {
    const own = world.review.file(path())?.hunks.find(({ after }) => after.start === 5);
    assert.ok(own);
    assert.deepEqual(world.review.othersIn(path(), 'b'), ['a']);
    assert.deepEqual(world.review.othersIn(path(), 'a', own.id), ['b']);
    await world.review.undoHunk(path(), own.id, 'a');
    assert.equal((await text()).split('\n').slice(5, 7).join(), 'b 5,row 6');
    await world.review.undoLast();
    await world.review.keepHunk(path(), own.id);
    assert.deepEqual(counts('b'), [[11, 11]], 'line 6 is a’s');
    await world.review.keepAll();
    await edit('b', rows({ a: 3, b: 5, c: 10 }));
    assert.deepEqual([world.review.othersIn(path(), 'b'), counts('a'), counts('b')], [[], [], [[6, 6]]]);
  });

  it('counts and undoes each also after a reload, and after edits of the user', async () => {
    await writeFile(path(), `mine\n${await text()}`);
    await world.tracker.refreshFile(path());
    await world.file.write();
    const next = await DiskWorld.reopen(world.base);
    assert.deepEqual(
      next.review.files('b').map(({ added }) => added),
      [12],
    );
    await next.review.undoAll('b');
    assert.equal(await text(), `mine\n${rows({ a: 3 })}`);
  });

  it('does not count lines of others in a file that one has created', async () => {
    const created = world.at('new.txt');
    await world.tracker.runAgentEdit('a', created, () => writeFile(created, 'one\ntwo\n'));
    await world.tracker.runAgentEdit('b', created, () => writeFile(created, 'one\nmiddle\ntwo\n'));
    const found = (id: string): unknown => {
      const file = world.review.files(id).find(({ label }) => label === 'new.txt');
      return [file?.status, file?.added, file?.removed];
    };
    assert.deepEqual(
      [found('a'), found('b')],
      [
        ['created', 2, 0],
        ['changed', 1, 0],
      ],
    );
    await world.review.undoFile(created, 'b');
    assert.equal(await readFile(created, 'utf8'), 'one\ntwo\n');
  });
});
