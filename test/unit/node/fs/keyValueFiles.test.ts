import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { KeyValueFiles } from '../../../../src/node/fs/keyValueFiles';
import { onDidLoseData } from '../../../../src/node/fs/storedFile';
import { temporaryFolder } from '../../../kit/temporaryFolder';

const DAY = 86_400_000;

describe('values of servers, while the clock is set', () => {
  let base: string;
  let warned: string[];
  const log = { ...nullLogger, warn: (_tag: string, message: string) => void warned.push(message) };
  beforeEach(() => {
    base = temporaryFolder();
    warned = [];
  });

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

describe('values of servers that cannot be written', () => {
  it('are told once, stay in memory, and are written with the next load', async () => {
    const base = temporaryFolder();
    const told: unknown[] = [];
    const subscription = onDidLoseData(({ file, lost, unsaved }) => told.push([file, lost, typeof unsaved]));
    try {
      const folder = join(base, 'values');
      await writeFile(folder, 'a file in the place of the folder');
      const values = new KeyValueFiles(folder, nullLogger);
      await values.update('pins', { tool: 'seen' });
      await values.update('others', { tool: 'seen' });
      assert.deepEqual(told, [[folder, 'what you accepted of an MCP server', 'string']]);
      await values.load('pins');
      assert.deepEqual(values.get('pins'), { tool: 'seen' });
      await rm(folder);
      await values.load('pins');
      const next = new KeyValueFiles(folder, nullLogger);
      await next.load('pins');
      assert.deepEqual(next.get('pins'), { tool: 'seen' });
    } finally {
      subscription.dispose();
      await rm(base, { recursive: true });
    }
  });
});
