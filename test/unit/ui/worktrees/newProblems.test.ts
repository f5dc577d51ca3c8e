import assert from 'node:assert/strict';
import { countNewProblems } from '../../../../src/ui/worktrees/newProblems';
import type { EditorProblem } from '../../../../src/ui/worktrees/newProblems';

const record = { path: '/store/1/app', repository: '/work/app' };
const problem = (path: string, message = 'wrong', severity = 0): EditorProblem => ({ path, message, severity });

describe('ui/worktrees/raceFeed: new problems', () => {
  it('are not counted if the worktree is not in the window', () => {
    assert.equal(countNewProblems(record, ['/work/app'], [problem('/store/1/app/a.ts')]), undefined);
    assert.equal(countNewProblems(record, [], []), undefined);
  });

  it('are those that occur more often than in the same file of the repository', () => {
    const all = [
      problem('/work/app/a.ts'),
      problem('/store/1/app/a.ts'),
      problem('/store/1/app/a.ts'),
      problem('/store/1/app/a.ts', 'wrong', 1),
      problem('/store/1/app/b.ts'),
      problem('/store/1/app-other/a.ts'),
    ];
    assert.equal(countNewProblems(record, ['/work/app', '/store/1/app'], all), 3);
    assert.equal(countNewProblems(record, ['/store/1/app/packages/one'], all), 3);
    assert.equal(countNewProblems(record, ['/store/1/app'], all.slice(0, 2)), 0);
  });
});
