import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { RawScopes } from '../../../src/base/settingScopes';
import { allScopeValues, readScopes, workspaceScopeValues } from '../../../src/base/settingScopes';
import type { SettingReader, SettingProblem } from '../../../src/base/settings';
import { problemText } from '../../../src/base/settings';

/** A list of strings; reports the index of every other value. */
const words: SettingReader<readonly string[]> = (value, report) => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report('expected a list');
    return [];
  }
  return value.filter((item, index): item is string => {
    if (typeof item !== 'string') report('expected a string', `[${index}]`);
    return typeof item === 'string';
  });
};

function read(raw: Partial<RawScopes>) {
  const problems: SettingProblem[] = [];
  const all = { user: undefined, workspace: undefined, folders: [], ...raw };
  return { scopes: readScopes('tools.deny', all, words, problems), problems: problems.map(problemText) };
}

describe('base/settingScopes', () => {
  it('separates the values of scopes', () => {
    const folders = [{ name: 'app', path: '/app', value: ['c'] }];
    const { scopes, problems } = read({ user: ['a'], workspace: ['b'], folders });
    assert.deepEqual([scopes, problems], [{ user: ['a'], workspace: ['b'], folders }, []]);
    assert.deepEqual(allScopeValues(scopes), [['a'], ['b'], ['c']]);
    assert.deepEqual(workspaceScopeValues(scopes), [['b'], ['c']]);
  });

  it('uses the default for the user scope, and nothing for an unset workspace scope', () => {
    assert.deepEqual(read({}).scopes, { user: [], workspace: undefined, folders: [] });
  });

  it('names the scope of an invalid value', () => {
    const folders = [{ name: 'app', path: '/app', value: ['x', null] }];
    assert.deepEqual(read({ user: 1, workspace: [2], folders }).problems, [
      'parley.tools.deny: expected a list',
      'parley.tools.deny[0] (workspace settings): expected a string',
      'parley.tools.deny[1] (settings of the folder “app”): expected a string',
    ]);
  });

  it('returns the user’s value for any workspace value', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.anything(), fc.anything(), (user, workspace, folder) => {
        const { scopes } = read({ user, workspace, folders: [{ name: 'f', path: '/f', value: folder }] });
        assert.deepEqual(scopes.user, user);
      }),
    );
  });
});
