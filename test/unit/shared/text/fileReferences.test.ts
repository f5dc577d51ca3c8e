import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fileReferenceLabel, parseFileReference, findFileReferences } from '../../../../src/shared/text/fileReferences';

describe('file references in texts', () => {
  it('are parsed with their lines', () => {
    assert.deepEqual(parseFileReference('src/a.ts:12'), { path: 'src/a.ts', line: 12 });
    assert.deepEqual(parseFileReference('src/a.ts:12:5'), { path: 'src/a.ts', line: 12, column: 5 });
    assert.deepEqual(parseFileReference('a.ts:12-20'), { path: 'a.ts', line: 12, lastLine: 20 });
    assert.deepEqual(parseFileReference('a.ts#L3-L7'), { path: 'a.ts', line: 3, lastLine: 7 });
    assert.deepEqual(parseFileReference('a.ts#L3'), { path: 'a.ts', line: 3 });
    assert.deepEqual(parseFileReference('lib\\b.cs(4,2)'), { path: 'lib\\b.cs', line: 4, column: 2 });
    assert.deepEqual(parseFileReference('src/webview/'), { path: 'src/webview/' });
    assert.deepEqual(parseFileReference('C:\\work\\a.ts:3'), { path: 'C:\\work\\a.ts', line: 3 });
    assert.deepEqual(parseFileReference('.github/workflows'), { path: '.github/workflows' });
    assert.deepEqual(parseFileReference('package.json'), { path: 'package.json' });
    assert.deepEqual(parseFileReference('.gitignore'), { path: '.gitignore' });
  });

  it('are not found in URLs, numbers and other words', () => {
    const words = ['https://a.test/b.ts', '1.2', 'v1.2.3', 'e.g', 'foo', '//host/share', '12/24', '...', 'a:b', ':12'];
    for (const text of words) assert.equal(parseFileReference(text), undefined, text);
  });

  it('are found in sentences without surrounding punctuation', () => {
    const text = 'See (src/a.ts:12), "b.py", src/page/[id].tsx and lib/c.go#L3-L7. Not 1.5/2.';
    assert.deepEqual(
      findFileReferences(text).map(({ start, end }) => text.slice(start, end)),
      ['src/a.ts:12', 'b.py', 'src/page/[id].tsx', 'lib/c.go#L3-L7'],
    );
  });

  it('are spans of the text, in order, found in linear time', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '/', '.', ':', '1', ' ', '(', ')', 'ts', '#L', '\\')), (parts) => {
        const text = parts.join('');
        let last = 0;
        for (const { start, end, file } of findFileReferences(text)) {
          assert.ok(start >= last && end > start && end <= text.length);
          assert.ok(text.slice(start, end).startsWith(file.path));
          last = end;
        }
      }),
    );
    findFileReferences('a/'.repeat(200_000));
    findFileReferences('a.'.repeat(200_000));
  });

  it('are formatted with their lines', () => {
    assert.equal(fileReferenceLabel('a.ts', 3, 7), 'a.ts:3-7');
    assert.equal(fileReferenceLabel('a.ts', 3, 3), 'a.ts:3');
    assert.equal(fileReferenceLabel('a.ts'), 'a.ts');
  });
});
