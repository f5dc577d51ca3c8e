import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readContent, writeContent } from '../../../src/review/content';
import type { Content } from '../../../src/review/tracked';

describe('files as content', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-content-'));
    path = join(folder, 'file');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** What may stand where the file is to be. */
  const before: Readonly<Record<string, () => Promise<void>>> = {
    nothing: async () => undefined,
    'a plain file': () => writeFile(path, 'old', { mode: 0o644 }),
    'an executable file': async () => {
      await writeFile(path, 'old');
      await chmod(path, 0o755);
    },
    'an empty folder': () => mkdir(path),
    'a link that leads nowhere': () => symlink('nowhere', path),
    'a link to a folder': () => symlink(tmpdir(), path),
  };

  const wanted: readonly Content[] = [
    { mode: '100644', bytes: 'new\xff' },
    { mode: '100755', bytes: 'new\xff' },
    { mode: '120000', bytes: 'elsewhere' },
  ];

  for (const [what, make] of Object.entries(before)) {
    it(`are written as they are wanted, mode and all, in place of ${what}`, async function () {
      // Windows has no executable bit, and links only for some people.
      if (process.platform === 'win32') this.skip();
      for (const content of wanted) {
        await rm(path, { recursive: true, force: true });
        await make();
        await writeContent(path, content);
        assert.deepEqual(await readContent(path), content);
      }
    });
  }
});
