import assert from 'node:assert/strict';
import { readNestedCommands } from '../../../../src/permissions/rules/nestedCommands';

describe('rules: nested commands', () => {
  const wordsOf = (line: string): string[] => line.trim().split(' ');

  it('include every suffix of a program that runs its arguments', () => {
    const { inner, innerProblem } = readNestedCommands([wordsOf('sudo env rm x')]);
    assert.deepEqual(inner, [['sudo', 'env', 'rm', 'x'], ['env', 'rm', 'x'], ['rm', 'x'], ['x']]);
    assert.equal(innerProblem, undefined);
  });

  it('are limited in size, because each one repeats the rest of the line', () => {
    for (const each of ['find . -exec ', 'sudo ', 'other find ']) {
      const { inner, behind, innerProblem } = readNestedCommands([wordsOf(each.repeat(4000))]);
      assert.match(innerProblem ?? '', /too many/, each);
      const text = [...inner, ...behind].flat().join('').length;
      assert.ok(text <= 1_000_000, `${each}: ${text} characters`);
    }
  });
});
