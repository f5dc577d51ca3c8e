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

  it('a path with many wildcards decides without hanging, and denies what it matches', () => {
    const decisionOn = (path: string, name: string): string => {
      const read = rulesReader([{ decision: 'deny', path }], () => undefined);
      const request = { kind: 'edit' as const, title: 'Edit', agent: 'A', paths: [`/ws/${name}`], folders: ['/ws'] };
      const rules = read.map((rule) => ({ rule, source: 'workspace' as const }));
      return decide(request, rules).decision;
    };
    const many = 'a'.repeat(250);
    for (const path of ['*a*a*a*a*a*a*a*a*b', '**/*a*a*a*b', 'a*b*c'])
      assert.equal(decisionOn(path, many), 'ask', path);
    for (const path of ['*a*a*a*a*a*a*a*a*b', '**/*a*a*a*b']) assert.equal(decisionOn(path, `${many}b`), 'deny', path);
  });
});
