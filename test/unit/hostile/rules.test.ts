import assert from 'node:assert/strict';
import { decide } from '../../../src/permissions/rules/decide';
import { rulesReader } from '../../../src/permissions/rules/permissionRule';

describe('hostile: rules of a workspace', () => {
  it('a path too long for the matcher is reported and skipped, and the other rules apply', () => {
    const problems: string[] = [];
    const value = [
      { decision: 'deny', path: 'x'.repeat(70_000) },
      { decision: 'deny', title: 'Fine' },
    ];
    const read = rulesReader(value, (message, field) => problems.push(`${field}: ${message}`));
    assert.deepEqual(problems, ['[0].path: expected at most 4096 characters, got 70000']);
    assert.deepEqual(read, [{ decision: 'deny', title: 'Fine' }]);
    const request = { kind: 'edit' as const, title: 'Edit', agent: 'A', paths: ['/ws/a'], folders: ['/ws'] };
    assert.equal(
      decide(
        request,
        read.map((rule) => ({ rule, source: 'workspace' as const })),
      ).decision,
      'ask',
    );
  });

  it('a path that would hang the matcher is skipped; common paths are accepted', () => {
    const read = (path: string): number => rulesReader([{ decision: 'deny', path }], () => undefined).length;
    for (const slow of ['*a*a*a*a*a*a*a*a*b', 'x/*a*a*a*b', '**/a/**/a/**/a/**/b']) assert.equal(read(slow), 0, slow);
    for (const fine of ['**/*.env', 'src/**/test/**/*.ts', '*.test.*', '/ws/**', 'a*b*c'])
      assert.equal(read(fine), 1, fine);
  });
});
