// Imported first: later imports get this stub of `vscode`.
import { open } from './editorStub';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { Uri } from 'vscode';
import { BaselineFiles } from '../../../../src/review/editor/baselineFiles';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld } from '../diskWorld';

describe('the baseline of a file in a diff editor', () => {
  let world: DiskWorld;
  let baselines: BaselineFiles;

  beforeEach(async () => {
    open.length = 0;
    world = await DiskWorld.open();
    await writeFile(world.at('changed.txt'), 'old\n');
    await world.begin(0);
    await writeFile(world.at('changed.txt'), 'new\n');
    await writeFile(world.at('created.txt'), 'created\n');
    await world.end();
    baselines = new BaselineFiles(world.review);
  });

  afterEach(async () => {
    baselines.dispose();
    await world.close();
  });

  /** What VS Code reads for the left side. */
  async function baseline(name: string, query = ''): Promise<string> {
    const fsPath = world.at(name);
    const uri = stubOf<Uri>({
      scheme: 'parley-base',
      query,
      fsPath,
      with: () => stubOf<Uri>({ fsPath }),
      toString: () => `base:${name}?${query}`,
    });
    return Buffer.from(await baselines.read(uri)).toString();
  }

  it('is the file before the changes, and empty for a created file', async () => {
    assert.deepEqual([await baseline('changed.txt'), await baseline('created.txt')], ['old\n', '']);
  });

  it('of a session has what the others changed', async () => {
    for (const [name, text] of [
      ['changed.txt', 'new\ntaken\n'],
      ['created.txt', 'created\ntaken\n'],
    ] as const)
      await world.tracker.runAgentEdit('other', world.at(name), () => writeFile(world.at(name), text));
    const bases = (name: string): Promise<string[]> =>
      Promise.all(['', 'session=s', 'session=other', 'deleted'].map((query) => baseline(name, query)));
    assert.deepEqual(await bases('changed.txt'), ['old\n', 'old\ntaken\n', 'new\n', '']);
    assert.deepEqual(await bases('created.txt'), ['', '', 'created\n', '']);
    await world.review.undoFiles([world.at('changed.txt')], 's');
    assert.deepEqual(await bases('changed.txt'), ['old\n', 'old\ntaken\n', 'old\n', '']);
  });

  it('equals the file after its changes are kept or undone, so that the editor shows none', async () => {
    await world.review.undoFile(world.at('changed.txt'));
    await world.review.keepFile(world.at('created.txt'));
    // As at the end of a turn, and after a reload.
    world.modifiedFiles.removeUnchanged();
    assert.deepEqual([await baseline('changed.txt'), await baseline('created.txt')], ['old\n', 'created\n']);
  });
});
