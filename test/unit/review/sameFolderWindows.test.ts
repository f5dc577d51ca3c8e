import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { windowName } from '../../../src/node/process/processStart';
import { DiskWorld } from './diskWorld';

/** The same folder in two tabs of a browser, or on a server that two computers use. */
describe('two windows with the same folder', () => {
  let first: DiskWorld;
  let second: DiskWorld;

  beforeEach(async () => {
    first = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await writeFile(first.at(name), 'start\n');
    second = await DiskWorld.reopen(first.base);
  });
  afterEach(() => first.close());

  /** Makes all copies so old that the next clean-up deletes those that nobody needs. */
  async function age(): Promise<void> {
    const blobs = join(first.storage, 'blobs');
    for (const entry of await readdir(blobs, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), 1, 1);
  }

  it('keep the checkpoints, the copies and the review of each other', async () => {
    await first.turn(async () => writeFile(first.at('a.txt'), 'agent\n'));
    await writeFile(first.at('a.txt'), 'the user’s work\n');
    const { undoId = '' } = await first.checkpoints.restore('s', 0);
    await first.turn(async () => writeFile(first.at('a.txt'), 'agent, again\n'), 1);
    await first.file.write();
    await second.turn(async () => writeFile(second.at('b.txt'), 'agent\n'), 0, 't');
    await second.file.write();
    await age();
    await second.checkpoints.prune();
    await first.file.write();

    const next = await DiskWorld.reopen(first.base);
    assert.deepEqual(next.modifiedFiles.paths().toSorted(), [next.at('a.txt'), next.at('b.txt')]);
    assert.deepEqual(
      ['s', 't'].map((id) => next.checkpoints.infosOf(id).length),
      [2, 1],
    );
    const preview = await next.checkpoints.previewUndo('s', undoId);
    await next.checkpoints.undoRestore('s', undoId, preview.type === 'ready' ? preview.changes : []);
    assert.equal(await readFile(next.at('a.txt'), 'utf8'), 'the user’s work\n');
  });

  describe('while one of them works', () => {
    let other: ChildProcess;
    beforeEach(async () => {
      other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      await once(other, 'spawn');
    });
    afterEach(() => other.kill('SIGKILL'));

    /** The window of what is open is another process. */
    async function moveToOther(): Promise<void> {
      const file = join(first.storage, 'checkpoints.json');
      const text = await readFile(file, 'utf8');
      assert.ok(text.includes(windowName()));
      await writeFile(file, text.replaceAll(windowName(), windowName(other.pid)));
    }

    /** What a next window takes for cut off by a crash. */
    async function cutOff(): Promise<readonly number[]> {
      const next = await DiskWorld.reopen(first.base);
      const changes = await next.checkpoints.endInterrupted();
      return [changes.length, (await next.checkpoints.endUnfinishedTurns(next.file.recorded)).length];
    }

    it('do not take its turn and its restore for cut off, until it has ended', async () => {
      await first.begin(0);
      await writeFile(first.at('a.txt'), 'agent\n');
      await first.end();
      await first.begin(1);
      await writeFile(first.at('b.txt'), 'agent\n');
      const write = first.files.write.bind(first.files);
      let text = '';
      Object.assign(first.files, {
        write: async (...args: Parameters<typeof write>) => {
          text ||= await readFile(join(first.storage, 'checkpoints.json'), 'utf8');
          return write(...args);
        },
      });
      first.working = false;
      await first.checkpoints.restore('s', 0);
      // As the first file was written.
      await writeFile(join(first.storage, 'checkpoints.json'), text);
      for (const name of ['a.txt', 'c.txt']) await writeFile(first.at(name), 'agent\n');
      await moveToOther();
      assert.deepEqual(await cutOff(), [0, 0]);
      other.kill('SIGKILL');
      await once(other, 'exit');
      assert.deepEqual(await cutOff(), [1, 1]);
    });
  });
});
