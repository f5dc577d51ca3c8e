import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldsCase } from '../../../../src/node/fs/foldsCase';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('whether a folder folds case', () => {
  it('is found by one of its entries', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, '123'), '');
    assert.equal(await foldsCase(folder), undefined);
    await writeFile(join(folder, 'Name.txt'), '');
    const folds = existsSync(join(folder, 'nAME.TXT'));
    assert.equal(await foldsCase(folder), folds);
    if (folds) return;
    await writeFile(join(folder, 'nAME.TXT'), '');
    assert.equal(await foldsCase(folder), false);
  });

  it('is not known of a folder that cannot be read', async () => {
    assert.equal(await foldsCase(join(temporaryFolder(), 'missing')), undefined);
  });
});
