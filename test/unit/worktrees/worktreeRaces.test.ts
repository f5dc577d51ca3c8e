import assert from 'node:assert/strict';
import { existsSync, watch } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCancellation } from '../../../src/base/errors';
import { NOTHING_LEFT, WorktreeBench, onlyWithSh } from './worktreeBench';

/** Two windows, and interrupted operations. */
describe('simultaneously used worktrees', () => {
  let bench: WorktreeBench;

  beforeEach(async () => {
    bench = await WorktreeBench.open();
  });

  afterEach(() => bench.close());

  it('are not removed by another window while a chat without messages uses them', async () => {
    const worktree = await bench.create();
    const other = await bench.window();
    await other.cleanUp(() => false);
    assert.equal(existsSync(worktree.path), true);
    await assert.rejects(other.discard(worktree.id), /Another window is using this worktree/);
    bench.worktrees.dispose();
    await other.cleanUp(() => false);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    other.dispose();
  });

  it('are not removed by another window after a message was sent in them', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const [one, other] = [await bench.window(), await bench.window()];
    one.reserve(join(worktree.path, 'src'));
    await assert.rejects(other.discard(worktree.id), /Another window is using this worktree/);
    await one.discard(worktree.id);
    await other.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    for (const window of [one, other]) window.dispose();
  });

  it('of another window are added and removed when the list is refreshed', async () => {
    const other = await bench.window();
    const worktree = await bench.create();
    assert.deepEqual(other.usable(), []);
    await other.refresh();
    assert.deepEqual(
      other.usable().map(({ id }) => id),
      [worktree.id],
    );
    await bench.worktrees.discard(worktree.id);
    await other.refresh();
    assert.deepEqual(other.usable(), []);
    other.dispose();
  });

  for (const step of ['worktree add', 'reset --hard', 'write-tree']) {
    onlyWithSh(`leave nothing behind when canceled during git ${step}`, async () => {
      const folder = join(bench.base, 'marks');
      await bench.write('ready', '', folder);
      const program = join(bench.base, 'git.sh');
      // Continues after the marker, as a large checkout does.
      const script = `#!/bin/sh\ncase "$*" in *"${step}"*) : > '${folder}/running';; esac\nexec git "$@"\n`;
      await writeFile(program, script, { mode: 0o755 });
      for (let at = 0; at < 300; at++) await bench.write(`many/${at}.txt`, `${at}`);
      bench.commit('many');
      const window = await bench.window(program);
      const stop = new AbortController();
      const watcher = watch(folder, (_event, name) => name === 'running' && stop.abort());
      const wanted = { folder: bench.folder, text: 'x', include: [] };
      await assert.rejects(window.create(wanted, stop.signal), (error) => isCancellation(error));
      watcher.close();
      assert.deepEqual(bench.left(), NOTHING_LEFT);
      window.dispose();
    });
  }

  it('leave nothing behind when a copy fails while others continue', async () => {
    for (let at = 0; at < 100; at++) await bench.write(`new/${at}.txt`, 'x'.repeat(10_000));
    // The path is too long: an example of any disk error.
    await bench.write(`new/${'n'.repeat(200)}/${'n'.repeat(200)}/file.txt`, '1');
    const storage = join(bench.base, ...Array.from({ length: 19 }, () => 's'.repeat(200)));
    const window = await bench.window('git', storage);
    await assert.rejects(window.create({ folder: bench.folder, text: 'x', include: [] }), /ENAMETOOLONG/);
    assert.deepEqual(bench.left(storage), NOTHING_LEFT);
    window.dispose();
  });
});
