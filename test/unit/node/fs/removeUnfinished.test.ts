import assert from 'node:assert/strict';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeUnfinished } from '../../../../src/node/fs/removeUnfinished';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('unfinished files in the storage', () => {
  it('are deleted at the start, if they are old and Parley’s', async () => {
    const base = temporaryFolder();
    const unfinished = '0d5e7f3a-1b2c-4d5e-8f90-a1b2c3d4e5f6.new';
    const old = [
      `registry.json.${unfinished}`,
      `sessions/a.summary.json.${unfinished}`,
      `review/blobs/ab/abcd.${unfinished}`,
      `worktrees/id/record.json.${unfinished}`,
    ];
    const kept = [
      'sessions/notes.new',
      `sessions/fresh.${unfinished}`,
      `agents/some/1.0/file.${unfinished}`,
      `review/git/x/file.${unfinished}`,
      `worktrees/id/repository/file.${unfinished}`,
    ];
    try {
      for (const name of [...old, ...kept]) {
        await mkdir(dirname(join(base, name)), { recursive: true });
        await writeFile(join(base, name), 'half');
        if (!name.includes('fresh')) await utimes(join(base, name), 1e9, 1e9);
      }
      await removeUnfinished(base);
      const left = await readdir(base, { recursive: true, withFileTypes: true });
      const names = left.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      assert.deepEqual(names.toSorted(), kept.map((name) => join(base, name)).toSorted());
    } finally {
      await rm(base, { recursive: true });
    }
  });
});
