import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { globMatches } from '../../../../src/node/fs/globMatches';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('files that patterns match', () => {
  let folder: string;

  before(() => {
    folder = temporaryFolder();
    for (const name of ['.hidden', 'src/deep', 'many']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['Make.json', '.hidden/x', 'src/a.ts', 'src/deep/b.ts']) writeFileSync(join(folder, name), '');
  });

  const found = (...patterns: string[]): readonly string[] | undefined =>
    globMatches(
      patterns.map((pattern) => join(folder, pattern)),
      [folder],
    )?.map((path) => relative(folder, path));

  for (const [pattern, names] of Object.entries({
    'm*.JSON': ['Make.json'],
    '.h*/?': ['.hidden/x'],
    'src/{a,c}.ts': ['src/a.ts'],
    's*/deep/*.ts': ['src/deep/b.ts'],
    '**/*.ts': ['src/a.ts'],
    '*/x': ['.hidden/x'],
    'src/**': ['src/a.ts', 'src/deep'],
    '*': [],
    'src/a.ts': [],
    'all *.json files': [],
    'none/*': [],
    '../*': [],
  }))
    it(`of ${pattern} are ${names.join(', ') || 'none'}`, () => assert.deepEqual(found(pattern)?.toSorted(), names));

  it('are unknown, at once, if the same folders match in too many ways', () => {
    mkdirSync(join(folder, 'chain', ...Array<string>(12).fill('c')), { recursive: true });
    assert.equal(found(`chain/${'**/'.repeat(24)}x`), undefined);
  });

  it('are unknown if there are too many entries', () => {
    for (let at = 0; at < 50; at++) writeFileSync(join(folder, 'many', `${at}`), '');
    const patterns = (count: number): string[] => Array.from({ length: count }, (_, at) => `many/${at}*`);
    assert.equal(found(...patterns(10))?.length, 50);
    assert.equal(found(...patterns(1_000)), undefined);
  });
});
