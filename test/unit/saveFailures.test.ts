import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import { SessionStore } from '../../src/history/sessionStore';
import { WorkspaceStateFile } from '../../src/node/fs/workspaceStateFile';
import { BlobStore } from '../../src/review/storage/blobStore';
import { unchangedFile } from '../../src/review/tracking/fileAttribution';
import { ModifiedFiles } from '../../src/review/tracking/modifiedFiles';
import { ReviewFile } from '../../src/review/tracking/reviewFile';
import { DraftStore } from '../../src/ui/chat/draftStore';
import { temporaryFolder } from '../kit/temporaryFolder';

/** Opens a store in a folder, and returns a job that writes to it. */
type Open = (folder: string, onFail: (cause: string) => void) => Promise<() => Promise<void>>;

const STORES: Readonly<Record<string, Open>> = {
  'drafts and other state': async (folder, onFail) => {
    const state = await WorkspaceStateFile.open(join(folder, 'state.json'), nullLogger, onFail);
    const drafts = new DraftStore(state);
    let at = 0;
    return async () => {
      drafts.set('s', { text: 'typed', at: ++at, attached: [] }, undefined);
      await state.flush();
    };
  },
  'the list of sessions': async (folder, onFail) => {
    const store = await SessionStore.open(folder, nullLogger, onFail);
    return async () => {
      store.saveSummary({ id: 'one', title: 'Title', renamed: true, updatedAt: 1, archived: true });
      await store.flush();
    };
  },
  'changes under review': async (folder, onFail) => {
    const modified = new ModifiedFiles((path) => path);
    modified.set('/a', { attribution: unchangedFile(undefined), sessions: [], disk: undefined });
    const blobs = new BlobStore(join(folder, 'blobs'));
    const review = new ReviewFile(join(folder, 'review.json'), modified, blobs, nullLogger, onFail);
    return () => review.write();
  },
};

describe('data that cannot be saved', () => {
  for (const [what, open] of Object.entries(STORES)) {
    it(`is reported each time that saving begins to fail: ${what}`, async () => {
      const base = temporaryFolder();
      const folder = join(base, 'store');
      const causes: string[] = [];
      try {
        const write = await open(folder, (cause) => causes.push(cause));
        await write();
        assert.deepEqual(causes, []);
        for (const times of [1, 2]) {
          await rm(folder, { recursive: true });
          await writeFile(folder, 'not a folder');
          for (const _again of [1, 2]) await write();
          assert.equal(causes.length, times);
          assert.match(causes[0] ?? '', /EEXIST|ENOTDIR/);
          await rm(folder);
          await write();
        }
      } finally {
        await rm(base, { recursive: true });
      }
    });
  }
});
