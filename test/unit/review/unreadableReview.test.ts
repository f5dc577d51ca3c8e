// Imported first: later imports get this stub of `vscode`.
import { dialogs } from './editor/editorStub';
import assert from 'node:assert/strict';
import { readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { nullLogger } from '../../../src/base/logger';
import { CheckpointStore } from '../../../src/review/checkpoints/checkpointStore';
import { pruneCheckpoints } from '../../../src/review/checkpoints/pruneCheckpoints';
import type { WorkspaceSnapshots } from '../../../src/review/git/workspaceSnapshots';
import { readStoredReview } from '../../../src/review/readStoredReview';
import { BlobStore } from '../../../src/review/storage/blobStore';
import { fileContentOf } from '../../../src/review/storage/fileContent';
import { unchangedFile } from '../../../src/review/tracking/fileAttribution';
import { ModifiedFiles } from '../../../src/review/tracking/modifiedFiles';
import { ReviewFile, writeModifiedFiles } from '../../../src/review/tracking/reviewFile';
import { ReviewScopes } from '../../../src/review/tracking/reviewScope';
import { blobsOf } from '../../../src/review/tracking/storedReview';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { checkpointData, checkpointOwner } from './checkpointsOf';
import { emptyCheckpoint } from './emptyCheckpoint';

/** Makes a file unreadable for every user: a link to itself fails with `ELOOP`, as a bad disk would with `EIO`. */
function makeUnreadable(path: string): () => void {
  renameSync(path, `${path}.aside`);
  symlinkSync(path, path);
  return () => {
    unlinkSync(path);
    renameSync(`${path}.aside`, path);
  };
}

describe('a review that cannot be read at the start of a window', () => {
  let folder: string;

  beforeEach(() => (folder = temporaryFolder()));

  function review(): { readonly file: ReviewFile; readonly modifiedFiles: ModifiedFiles; readonly blobs: BlobStore } {
    const modifiedFiles = new ModifiedFiles((path) => path);
    const blobs = new BlobStore(join(folder, 'blobs'));
    return {
      file: new ReviewFile(join(folder, 'review.json'), modifiedFiles, blobs, nullLogger),
      modifiedFiles,
      blobs,
    };
  }

  /** The changes of an earlier window. */
  async function stored(): Promise<string> {
    const { file, modifiedFiles, blobs } = review();
    await file.load('');
    for (const [path, before] of Object.entries({ '/a': 'before', '/b': 'other' })) {
      const [base, text] = [before, 'after'].map((each) => fileContentOf('100644', Buffer.from(each)));
      const attribution = { ...unchangedFile(base), text };
      modifiedFiles.set(path, { attribution, sessions: ['s'], disk: text });
    }
    await file.write();
    return blobs.put(Buffer.from('before'));
  }

  it('stays on disk, so that the next window has it', async () => {
    await stored();
    const repair = makeUnreadable(join(folder, 'review.json'));
    const failed = review();
    await assert.rejects(failed.file.load(''), { code: 'ELOOP' });
    repair();
    assert.equal(failed.file.isKept, true);
    await failed.file.write();
    const next = review();
    await next.file.load('');
    assert.deepEqual(next.modifiedFiles.paths(), ['/a', '/b']);
  });

  it('stays on disk while one of its contents cannot be read', async () => {
    const blob = await stored();
    const repair = makeUnreadable(join(folder, 'blobs', blob.slice(0, 2), blob));
    const failed = review();
    const problems = await failed.file.load('');
    assert.deepEqual(
      problems.map(({ path, message }) => [path, /ELOOP/.test(message)]),
      [['/a', true]],
    );
    assert.deepEqual(failed.modifiedFiles.paths(), ['/b'], 'the others are under review');
    assert.ok(blobsOf(await writeModifiedFiles(failed.modifiedFiles, failed.blobs)).includes(blob));
    repair();
    await failed.file.write();
    const next = review();
    assert.deepEqual(await next.file.load(''), []);
    assert.deepEqual(next.modifiedFiles.paths().toSorted(), ['/a', '/b']);
  });

  it('is named in a warning', async () => {
    const blob = await stored();
    const repair = makeUnreadable(join(folder, 'blobs', blob.slice(0, 2), blob));
    const { file } = review();
    dialogs.asked.length = 0;
    await readStoredReview(folder, new CheckpointStore(join(folder, 'checkpoints.json')), file, nullLogger);
    assert.match(dialogs.asked.join('\n'), /^The changes of \/a cannot be reviewed: .*ELOOP[^\n]*$/);
    repair();
    makeUnreadable(join(folder, 'review.json'));
    dialogs.asked.length = 0;
    const next = review();
    await readStoredReview(folder, new CheckpointStore(join(folder, 'checkpoints.json')), next.file, nullLogger);
    assert.match(dialogs.asked.join('\n'), /^Could not read the changes and checkpoints of the last window: ELOOP/);
  });

  it('keeps the list of checkpoints, and deletes nothing that the list may need', async () => {
    const list = join(folder, 'checkpoints.json');
    const before = new CheckpointStore(list);
    await before.load();
    await before.add(emptyCheckpoint);
    const text = readFileSync(list, 'utf8');
    const repair = makeUnreadable(list);
    const store = new CheckpointStore(list);
    await assert.rejects(store.load(), { code: 'ELOOP' });
    repair();
    await store.add({ ...emptyCheckpoint, id: 'new' });
    const { modifiedFiles, blobs } = review();
    const snapshots = stubOf<WorkspaceSnapshots>({ removeUnused: () => assert.fail('a repository may be needed') });
    const owner = checkpointOwner(new ReviewScopes(() => []), {
      checkpointLimits: () => ({ maxAgeDays: 0, maxSizeMB: 0 }),
    });
    const data = checkpointData(store, blobs, snapshots);
    await pruneCheckpoints(data, modifiedFiles, owner, AbortSignal.timeout(1_000), nullLogger);
    assert.equal(readFileSync(list, 'utf8'), text);
    assert.deepEqual(
      store.all().map(({ id }) => id),
      ['new'],
    );
  });
});
