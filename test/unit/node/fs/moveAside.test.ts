import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damagedNames, undamagedName } from '../../../../src/node/fs/moveAside';
import { readStoredJson } from '../../../../src/node/fs/storedFile';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('a file of the storage that is damaged again and again', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'state.json');
  });

  async function damage(text: string): Promise<void> {
    await writeFile(file, text);
    assert.equal(await readStoredJson(file, () => undefined, 'the drafts'), undefined);
  }

  it('keeps the first copies and the last one', async () => {
    for (let at = 1; at <= 7; at++) await damage(`text ${at}`);
    const names = damagedNames(file);
    const kept = await Promise.all(names.map((name) => readFile(name, 'utf8')));
    assert.deepEqual(kept, ['text 1', 'text 2', 'text 3', 'text 4', 'text 7']);
    assert.deepEqual((await readdir(folder)).toSorted(), names.map((name) => name.slice(folder.length + 1)).toSorted());
    for (const name of names) assert.deepEqual([name.endsWith('.damaged'), undamagedName(name)], [true, file]);
  });

  it('keeps a folder that was in its place', async () => {
    await damage('text');
    await mkdir(join(file, 'deep'), { recursive: true });
    await writeFile(join(file, 'deep', 'a'), 'in a folder');
    await readStoredJson(file, () => undefined, 'the drafts');
    assert.equal(await readFile(`${file}.damaged`, 'utf8'), 'text');
    assert.equal(await readFile(join(`${file}.2.damaged`, 'deep', 'a'), 'utf8'), 'in a folder');
  });
});
