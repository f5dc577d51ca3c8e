import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import type { Git } from '../../../../src/node/gitCommand';
import type { ShadowRepository } from '../../../../src/review/git/shadowRepository';
import type { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { TrackedReview } from '../../../../src/review/trackedReview';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { CommitWatcher } from '../../../../src/review/tracking/commitWatcher';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { stubOf } from '../../../kit/stubOf';
import { MemoryFiles } from '../memoryFiles';
import { byAgent } from '../otherWork';

const file = (bytes: string): FileContent => ({ mode: '100644', bytes });
const PATH = '/w/a';

describe('a commit of the user', () => {
  it('keeps what it contains, and not what an agent writes while Parley reads it', async () => {
    const files = new MemoryFiles();
    const modifiedFiles = new ModifiedFiles((path) => path);
    const tracker = new ChangeTracker(modifiedFiles, files, files, byAgent(), nullLogger);
    const review = new TrackedReview(modifiedFiles, tracker, files);
    const agentWrites = async (text: string): Promise<void> => {
      files.put(PATH, file(text));
      await tracker.trackFile(PATH);
    };
    let head = 'first';
    let whileReading = (): Promise<void> => Promise.resolve();
    const commits = new CommitWatcher(
      stubOf<Git>({ text: async () => head }),
      stubOf<WorkspaceSnapshots>({ repositories: () => [stubOf<ShadowRepository>({ folder: '/w' })] }),
      review,
      { isWorkedIn: () => false, mayChange: () => false },
      nullLogger,
      async (_git, _snapshots, contents) => {
        await whileReading();
        return [...contents.keys()];
      },
    );
    files.put(PATH, file('one\n'));
    files.takeSnapshot();
    await agentWrites('one\ntwo\n');
    await commits.rememberCommits();
    head = 'second';
    whileReading = () => agentWrites('one\ntwo\nthree\n');
    await commits.checkForCommit();
    assert.deepEqual(
      modifiedFiles.get(PATH)?.attribution.base?.bytes,
      'one\n',
      'the review has moved on, so nothing is kept without being seen',
    );

    head = 'third';
    // Found only by the check after the commit was kept.
    whileReading = async () => files.put(PATH, file('one\ntwo\nthree\nfour\n'));
    await commits.checkForCommit();
    const { base, text } = modifiedFiles.get(PATH)?.attribution ?? {};
    assert.deepEqual([base?.bytes, text?.bytes], ['one\ntwo\nthree\n', 'one\ntwo\nthree\nfour\n']);
    await review.undoAll();
    assert.equal(files.onDisk.get(PATH)?.bytes, 'one\ntwo\nthree\n');
    review.dispose();
    modifiedFiles.dispose();
  });
});
