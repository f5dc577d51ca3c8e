import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { KeyValueFiles } from '../../../../src/node/fs/keyValueFiles';

const DAY = 86_400_000;

describe('values of servers, while the clock is set', () => {
  let base: string;
  let warned: string[];
  const log = { ...nullLogger, warn: (_tag: string, message: string) => void warned.push(message) };
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'parley-values-'));
    warned = [];
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  /** A window at which the clock is that many days ahead. */
  const window = (days: number): KeyValueFiles =>
    new KeyValueFiles(join(base, 'values'), log, () => Date.now() + days * DAY);

  it('stay when the clock is ahead in several windows, and is then corrected', async () => {
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) await window(0).update(key, { key });
    await window(0).load('a');
    // The used one is as new as the clock from now on.
    for (let time = 0; time < 3; time++) await window(400).load('a');
    assert.equal((await readdir(join(base, 'values'))).length, 4);
    assert.equal(warned.length, 1);
    const last = window(0);
    for (const key of keys) await last.load(key);
    assert.deepEqual(
      keys.map((key) => last.get(key)),
      keys.map((key) => ({ key })),
    );
  });
});
