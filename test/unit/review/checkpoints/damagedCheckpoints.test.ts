// Imported first: later imports get this stub of `vscode`.
import { dialogs } from '../editor/editorStub';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDidLoseData } from '../../../../src/node/fs/storedFile';
import { DiskWorld, filesOf } from '../diskWorld';

interface Stored {
  readonly checkpoints: Record<string, unknown>[];
}

describe('a damaged checkpoint in the list', () => {
  let world: DiskWorld;
  let told: string[];
  let subscription: { dispose(): void };

  beforeEach(() => {
    told = [];
    dialogs.asked.length = 0;
    subscription = onDidLoseData(({ lost }) => told.push(lost));
  });

  afterEach(async () => {
    subscription.dispose();
    await world.close();
  });

  const file = (): string => join(world.storage, 'checkpoints.json');

  /** An agent changes a file in a turn. */
  async function turn(entry: number, text: string): Promise<void> {
    await world.begin(entry);
    await world.tracker.runAgentEdit('s', world.at('a.txt'), () => writeFile(world.at('a.txt'), text));
    await world.end();
  }

  /** Another program changes the stored list; the next window opens. */
  async function damage(change: (stored: Stored) => void, program: string): Promise<void> {
    await world.file.write();
    await world.checkpoints.idle();
    const stored = JSON.parse(await readFile(file(), 'utf8')) as Stored;
    change(stored);
    await writeFile(file(), JSON.stringify(stored));
    world = await DiskWorld.reopen(world.base, program);
  }

  const root = (field: string, value: unknown): object => ({
    roots: [{ folder: '/f', tree: '0'.repeat(40), [field]: value }],
  });
  const DAMAGE: Readonly<Record<string, object>> = {
    'a time of another type': { at: 'x' },
    'a copy of another type': { copies: { '/a.txt': 'x' } },
    'a copy without content': { copies: { '/a.txt': { mode: '100644', blob: 5 } } },
    'copies of another type': { copies: 'x' },
    'an unsaved text of another type': { unsaved: { '/a.txt': 'x' } },
    'folders of another type': { roots: 3 },
    'a folder without a tree': root('tree', undefined),
    'an option of git for a tree': root('tree', '--output=/file'),
    'file modes of another type': root('modes', 'x'),
    'a mark of another type': { restored: { '/a.txt': 5 } },
    'an end of another type': { isOpen: 'x' },
  };

  for (const [name, fields] of Object.entries(DAMAGE)) {
    it(`is not used, kept and said: ${name}`, async () => {
      world = await DiskWorld.open('no-such-git');
      await writeFile(world.at('a.txt'), 'one');
      await turn(0, 'two');
      await damage(({ checkpoints }) => {
        for (const each of checkpoints) Object.assign(each, fields);
      }, 'no-such-git');
      assert.deepEqual(told, ['some checkpoints']);
      const kept = JSON.parse(await readFile(`${file()}.damaged`, 'utf8')) as Stored;
      assert.equal(kept.checkpoints.length, 1);
      assert.equal((await world.checkpoints.preview('s', 0)).type, 'unavailable');
      await world.checkpoints.restore('s', 0);
      assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- two' });
    });
  }

  it('is kept and said beside one of an earlier start, once', async () => {
    world = await DiskWorld.open('no-such-git');
    for (const entry of [0, 1, 2]) await turn(entry, `text ${entry}`);
    const change = ({ checkpoints }: Stored): void => void Object.assign(checkpoints[0] ?? {}, { at: 'x' });
    await damage(change, 'no-such-git');
    await turn(3, 'text 3');
    await damage(change, 'no-such-git');
    world = await DiskWorld.reopen(world.base, 'no-such-git');
    assert.deepEqual(told, ['some checkpoints', 'some checkpoints']);
    const kept = JSON.parse(await readFile(`${file()}.2.damaged`, 'utf8')) as Stored;
    assert.deepEqual(
      kept.checkpoints.map(({ entry }) => entry),
      [1, 2, 3],
    );
  });

  it('does not give an earlier one a later copy', async () => {
    world = await DiskWorld.open('no-such-git');
    await writeFile(world.at('a.txt'), 'one');
    await world.begin(0);
    await world.end();
    await turn(1, 'two');
    await turn(2, 'three');
    await damage(({ checkpoints }) => Object.assign(checkpoints[1] ?? {}, { at: 'x' }), 'no-such-git');
    const preview = await world.checkpoints.preview('s', 0);
    assert(preview.type === 'ready');
    assert.deepEqual(preview.changes, []);
    assert.match(preview.notes.join('\n'), /a later checkpoint was damaged/);
    await world.checkpoints.restore('s', 2);
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- two' });
  });
});
