import assert from 'node:assert/strict';
import { compileGlob } from '../../../../src/base/glob';
import { pathFilter } from '../../../../src/mcp/builtin/common/pathFilter';
import { diffProblems } from '../../../../src/mcp/builtin/problems/problemBaselines';
import type { Problem } from '../../../../src/mcp/builtin/problems/workspaceDiagnostics';
import { stubOf } from '../../../kit/stubOf';

describe('Problems and globs of a model', () => {
  const problems = (...messages: string[]): Problem[] =>
    messages.map((message, line) =>
      stubOf<Problem>({ path: 'a.ts', severity: 'error', message, line, source: 'ts', code: '1' }),
    );

  it('are compared with a count of equal problems', () => {
    const { added, fixed, remaining } = diffProblems(problems('a', 'b', 'a', 'c'), problems('a', 'c', 'c', 'd'));
    assert.deepEqual(
      [added.map(({ message, line }) => [message, line]), fixed.map(({ message, line }) => [message, line]), remaining],
      [
        [
          ['c', 2],
          ['d', 3],
        ],
        [
          ['a', 2],
          ['b', 1],
        ],
        2,
      ],
    );
  });

  it('share a number of steps among all paths of a filter', () => {
    const budget = { left: 1_000 };
    const matches = compileGlob('**/*a*b*c', budget);
    assert.equal(matches('x/abc'), true);
    assert.ok(budget.left < 1_000 && budget.left > 0);
    assert.equal(matches(`${'a'.repeat(500)}/x`), undefined);
    assert.equal(matches('x/abc'), undefined);
    assert.throws(() => pathFilter('*'.repeat(501)), /too long/);
    assert.deepEqual(
      ['a/b.ts', 'a/b.js', 'a/b.ts'].map((path) => pathFilter('a/*.ts')({ path })),
      [true, false, true],
    );
  });
});
