import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobStore } from '../../../../src/review/storage/blobStore';
import { temporaryFolder } from '../../../kit/temporaryFolder';

const HOUR = 3_600_000;

describe('copies of files, while the clock is set', () => {
  let folder: string;
  let elapsed: number;
  beforeEach(() => {
    folder = temporaryFolder();
    elapsed = 0;
  });

  const bytes = Buffer.from('copy');
  /** The time of the file is two hours ago by a clock that was set forward. */
  const setForward = (id: string): Promise<void> => utimes(join(folder, id.slice(0, 2), id), 1e9, 1e9);

  it('stay for an hour after they were stored, and are stored again after that', async () => {
    const blobs = new BlobStore(folder, () => elapsed);
    const id = await blobs.put(bytes);
    await setForward(id);
    elapsed += HOUR - 1;
    await blobs.retain(new Set());
    assert.deepEqual(await blobs.get(id), bytes);
    elapsed++;
    await blobs.retain(new Set());
    assert.equal(await blobs.get(id), undefined);
    await blobs.put(bytes);
    assert.deepEqual(await blobs.get(id), bytes);
  });

  it('stay if they were there before, and are needed again', async () => {
    const id = await new BlobStore(folder).put(bytes);
    await setForward(id);
    const blobs = new BlobStore(folder, () => elapsed);
    await blobs.put(bytes);
    await blobs.retain(new Set());
    assert.deepEqual(await blobs.get(id), bytes);
  });
});
