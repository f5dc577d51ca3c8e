import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SettingReader, SettingProblem } from '../../../src/base/settings';
import { plainSettings, settingProblemText, protections } from '../../../src/base/settings';
import type { RawScopes } from '../../../src/base/settingScopes';
import { allScopeValues, readPlainSetting, readScopes, workspaceScopeValues } from '../../../src/base/settingScopes';

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
  return { scopes: readScopes('tools.deny', all, words, problems), problems: problems.map(settingProblemText) };
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

describe('a plain setting', () => {
  const scopes = (user: unknown, workspace?: unknown, folder?: unknown): RawScopes => ({
    user,
    workspace,
    folders: folder === undefined ? [] : [{ name: 'app', path: '/w/app', value: folder }],
  });
  const readOne = (key: keyof typeof plainSettings, raw: RawScopes) => {
    const problems: SettingProblem[] = [];
    const value = readPlainSetting(key, raw, plainSettings[key], problems);
    return [value, ...problems.map(settingProblemText)];
  };
  const cure = 'a workspace cannot weaken this; change it in your user settings';

  it('that protects is at least as strong as the user set it, whatever a workspace sets', () => {
    for (const [key, values] of Object.entries(protections) as [keyof typeof protections, readonly unknown[]][]) {
      for (const user of [undefined, ...values])
        for (const other of values) {
          const own = user ?? plainSettings[key](undefined, () => undefined);
          const rank = (value: unknown): number => values.indexOf(value);
          for (const raw of [scopes(user, other), scopes(user, undefined, other)]) {
            const [value, ...problems] = readOne(key, raw);
            assert.equal(rank(value), Math.max(rank(own), rank(other)), key);
            assert.equal(problems.length, rank(other) < rank(own) ? 1 : 0);
          }
        }
    }
  });

  it('that protects names the scope of a weaker value, and the cure', () => {
    assert.deepEqual(readOne('checkpoints.enabled', scopes(undefined, false)), [
      true,
      `parley.checkpoints.enabled (workspace settings): ${cure}`,
    ]);
    assert.deepEqual(readOne('permissions.notify', scopes('always', undefined, 'never')), [
      'always',
      `parley.permissions.notify (settings of the folder “app”): ${cure}`,
    ]);
    assert.deepEqual(readOne('review.enabled', scopes(false, true)), [true]);
  });

  it('that changes the look has the innermost value', () => {
    assert.deepEqual(readOne('thoughts', scopes('expanded', 'collapsed')), ['collapsed']);
    assert.deepEqual(readOne('follow', scopes(true, true, false)), [false]);
  });
});
