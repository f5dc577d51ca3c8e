import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import type { GitMoves, GitStart } from '../../../../src/review/git/gitMoves';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { captureTurnBaseline } from '../../../../src/review/tracking/turnChanges';
import { TurnMoves } from '../../../../src/review/tracking/turnMoves';
import { stubOf } from '../../../kit/stubOf';
import { MemoryFiles } from '../memoryFiles';
import { byAgent } from '../otherWork';

const PATH = '/w/a';
const file = (bytes: string): FileContent => ({ mode: '100644', bytes });

describe('a file that git has brought back', () => {
  it('is the agent’s again if the agent writes it while git is asked', async () => {
    const files = new MemoryFiles();
    files.put(PATH, file('start\n'));
    files.takeSnapshot();
    const modifiedFiles = new ModifiedFiles((path) => path);
    const tracker = new ChangeTracker(modifiedFiles, files, files, byAgent(), nullLogger);
    const becomes = async (text: string): Promise<void> => {
      files.put(PATH, file(text));
      await tracker.scan();
      await tracker.refreshAll();
    };
    const git = stubOf<GitMoves>({
      find: async () => new Map([[PATH, { content: file('other branch\n'), from: 'other' }]]),
      isStored: async () => true,
      atHead: async (contents) => {
        await becomes('agent\n');
        return new Set(contents.keys());
      },
    });
    await tracker.trackFile(PATH);
    const start: GitStart = [stubOf<GitStart[0]>({})];
    const moves = new TurnMoves(tracker, git, start, captureTurnBaseline(modifiedFiles));
    const update = (): Promise<void> => moves.update([PATH], () => false, false);
    await becomes('other branch\n');
    await update();
    assert.equal(modifiedFiles.file(PATH), undefined);
    await becomes('start\n');
    await update();
    await tracker.refreshAll();
    assert.deepEqual(modifiedFiles.get(PATH)?.attribution.text?.bytes, 'agent\n');
    assert.equal(modifiedFiles.file(PATH)?.status, 'changed');
    modifiedFiles.dispose();
  });
});
