import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkSigns } from '../../../../src/review/tracking/workSigns';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('the signs of work in folders that several workspaces contain', () => {
  let base: string;
  let windows: readonly [WorkSigns, WorkSigns];
  const at = (name: string): string => join(base, name);

  beforeEach(() => {
    base = temporaryFolder();
    for (const name of ['ws/a/sub', 'ws/ab', 'other']) mkdirSync(at(name), { recursive: true });
    windows = [new WorkSigns(at('signs')), new WorkSigns(at('signs'))];
  });

  it('are seen by the other window in the folder, around it, inside of it, and by a link to it', () => {
    const [mine, other] = windows;
    symlinkSync(at('ws/a'), at('link'), 'junction');
    const work = mine.show([at('ws/a'), at('ws/a')]);
    for (const name of ['ws/a', 'ws', 'ws/a/sub', 'link']) {
      assert.ok(other.isElsewhere([at('other'), at(name)]), name);
      assert.ok(!mine.isElsewhere([at(name)]), `${name} in the own window`);
    }
    for (const name of ['ws/ab', 'other']) assert.ok(!other.isElsewhere([at(name)]), name);
    work.dispose();
    assert.ok(!other.isElsewhere([at('ws/a')]));
    assert.deepEqual(readdirSync(at('signs')), []);
  });

  it('are seen while the own window works there, too', () => {
    const [mine, other] = windows;
    const own = mine.show([at('ws/a')]);
    const others = other.show([at('ws/a')]);
    assert.ok(mine.isElsewhere([at('ws/a/file.txt')]));
    others.dispose();
    assert.ok(!mine.isElsewhere([at('ws/a/file.txt')]));
    own.dispose();
  });

  it('end with the window, and those of killed windows are deleted', () => {
    const [mine, other] = windows;
    mkdirSync(at('signs'));
    writeFileSync(join(at('signs'), `in-0123456789abcdef.${2 ** 22 + 1}.1.0badcafe.here`), '');
    mine.show([at('ws')]);
    assert.equal(readdirSync(at('signs')).filter((name) => name.startsWith('in-0123456789abcdef')).length, 0);
    mine.dispose();
    assert.ok(!other.isElsewhere([at('ws')]));
  });
});
