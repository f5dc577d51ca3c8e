import assert from 'node:assert/strict';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { resolvePath } from '../../../../src/client/fs/resolvePath';
import { realPathNames } from '../../../../src/node/fs/realPaths';
import { decideByPolicy, withRealPaths } from '../../../../src/permissions/permissionPolicy';
import { onWindows } from '../../../kit/onWindows';
import { emptyPolicy } from '../../permissions/emptyPolicy';

/** Accessing such a path sends the user's credentials to the owner of that computer. */
describe('paths on other computers', () => {
  const paths = [String.raw`\\host\share\x.txt`, String.raw`\\host@SSL\DavWWWRoot\x.txt`];
  const folders = [String.raw`C:\ws`];
  const looked: string[] = [];
  const restore: (() => void)[] = [];

  function spy<T extends object>(owner: T, name: keyof T): void {
    const own = owner[name] as (...args: unknown[]) => unknown;
    const spied = (...args: unknown[]): unknown => {
      looked.push(String(args[0]));
      return own(...args);
    };
    owner[name] = Object.assign(spied, own) as T[keyof T];
    restore.push(() => (owner[name] = own as T[keyof T]));
  }

  beforeEach(() => {
    looked.length = 0;
    for (const name of ['realpath', 'lstat', 'stat', 'open'] as const) spy(promises, name);
    for (const name of ['realpathSync', 'lstatSync', 'statSync', 'readlinkSync'] as const) spy(fs, name);
    spy(fs.realpathSync, 'native');
  });
  afterEach(() => {
    for (const each of restore.toReversed()) each();
    restore.length = 0;
  });

  for (const path of paths) {
    it(`are rejected without disk access: ${path}`, async () => {
      await onWindows(async () => {
        await assert.rejects(resolvePath(folders, path), /is on another computer/);
        await assert.rejects(resolvePath(folders, path, 'cwd'), /is on another computer/);
      });
      assert.deepEqual(looked, []);
    });

    it(`require approval without disk access, as a file and in a command: ${path}`, async () => {
      const base = { title: 'x', agent: 'a', folders };
      const read = { ...base, kind: 'read' as const, paths: [path] };
      const run = { ...base, kind: 'execute' as const, paths: [], command: { argv: ['cat', path], cwd: 'C:\\ws' } };
      await onWindows(() => {
        for (const request of [read, run]) {
          const { decision, by } = decideByPolicy(emptyPolicy(), 's', withRealPaths(request));
          assert.deepEqual([decision, by], ['ask', 'protection']);
        }
      });
      assert.deepEqual(
        looked.filter((each) => each.includes('host')),
        [],
      );
    });
  }

  it('are accessed if an open folder is on the same share', async () => {
    await onWindows(() => realPathNames(String.raw`\\host\share\x`, [String.raw`\\host\share\ws`]));
    assert.ok(looked.some((each) => each.includes('host')));
  });
});
