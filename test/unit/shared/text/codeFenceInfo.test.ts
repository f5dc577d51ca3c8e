import assert from 'node:assert/strict';
import { codeInfo, extensionOf } from '../../../../src/shared/text/codeFenceInfo';

describe('the info string of a fence', () => {
  const cases: readonly [string, string, string?][] = [
    ['', ''],
    ['ts', 'ts'],
    ['TypeScript', 'typescript'],
    ['c++', 'c++'],
    ['c#', 'c#'],
    ['{.ts}', 'ts'],
    ['ts {1,3}', 'ts'],
    ['ts src/a.ts', 'ts', 'src/a.ts'],
    ['ts:src/a.ts', 'ts', 'src/a.ts'],
    ['src/a.py', 'py', 'src/a.py'],
    ['a.py', 'py', 'a.py'],
    ['12:20:src/a.ts', 'ts', 'src/a.ts'],
    ['ts title="src/my file.ts"', 'ts', 'src/my file.ts'],
    ["js file='x/y.js' {2}", 'js', 'x/y.js'],
    ['filename=a.rs', 'rs', 'a.rs'],
    ['diff a.ts', 'diff', 'a.ts'],
    ['bash -x', 'bash'],
  ];
  for (const [info, language, path] of cases) {
    it(`is parsed: ${info || 'nothing'}`, () => {
      assert.deepEqual(codeInfo(info), { language, ...(path !== undefined && { path }) });
    });
  }

  it('has the language of the file', () => {
    assert.equal(extensionOf('a/b.TSX'), 'tsx');
    assert.equal(extensionOf('docker/Dockerfile'), 'dockerfile');
  });
});
