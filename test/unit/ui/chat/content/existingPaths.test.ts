import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { WorkspacePathIndex } from '../../../../../src/ui/attachments/pathIndex';
import { insertLines, reindent } from '../../../../../src/ui/chat/content/codeEdit';
import { existingPaths } from '../../../../../src/ui/chat/content/existingPaths';
import { minimalReplacement } from '../../../../../src/workbench/textEdits';
import { temporaryFolder } from '../../../../kit/temporaryFolder';

describe('files that end with a path', () => {
  const index = new WorkspacePathIndex();
  for (const label of ['src/upload.ts', 'src/net/retry.ts', 'lib/retry.ts', 'retry.ts.md']) {
    index.addFile(`file:///w/${label}`, label);
  }

  it('are found by whole names', () => {
    const found = index.findByEndings(['upload.ts', 'net/retry.ts', 'retry.ts', 'load.ts', 'net\\retry.ts', 'src']);
    assert.deepEqual(Object.fromEntries(found), {
      'upload.ts': ['file:///w/src/upload.ts'],
      'net/retry.ts': ['file:///w/src/net/retry.ts'],
      'retry.ts': ['file:///w/src/net/retry.ts', 'file:///w/lib/retry.ts'],
      'load.ts': [],
      'net\\retry.ts': ['file:///w/src/net/retry.ts'],
      src: [],
    });
  });
});

describe('file references in texts', () => {
  let folder: string;
  let outside: string;
  before(async () => {
    folder = temporaryFolder();
    outside = temporaryFolder();
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src', 'a.ts'), '');
    await writeFile(join(outside, 'secret.ts'), '');
    await symlink(outside, join(folder, 'link'));
  });

  it('are found in the workspace, relative to each folder, and nowhere else', async () => {
    const texts = [
      'src/a.ts',
      'a.ts',
      join(folder, 'src/a.ts'),
      'src',
      '../..',
      join(outside, 'secret.ts'),
      'link/secret.ts',
    ];
    const found = await existingPaths(texts, [join(folder, 'none'), folder]);
    assert.deepEqual(
      found.map(({ path }) => path),
      [
        join(folder, 'src/a.ts'),
        undefined,
        join(folder, 'src/a.ts'),
        join(folder, 'src'),
        undefined,
        undefined,
        undefined,
      ],
    );
  });

  it('are not searched on other computers', async () => {
    const found = await existingPaths(['//server/share/a.ts', '\\\\server\\a.ts', 'a\0b.ts'], [folder]);
    assert.deepEqual(
      found.map(({ path }) => path),
      [undefined, undefined, undefined],
    );
  });
});

describe('an edit of a file', () => {
  it('replaces only the lines that differ', () => {
    assert.deepEqual(minimalReplacement('a\nb\nc\n', 'a\nB\nc\n'), { start: 2, end: 3, text: 'B' });
    assert.deepEqual(minimalReplacement('a\nb', 'a\nb\nc\n'), { start: 3, end: 3, text: '\nc\n' });
    assert.deepEqual(minimalReplacement('a\nc\n', 'a\nb\nc\n'), { start: 2, end: 2, text: 'b\n' });
    assert.deepEqual(minimalReplacement('a\nb\nc\n', 'c\n'), { start: 0, end: 4, text: '' });
    assert.deepEqual(minimalReplacement('a\nb\nc', 'a\nb'), { start: 3, end: 5, text: '' });
  });

  it('replaces lines with code, or appends it without a range', () => {
    assert.equal(insertLines('a\nb\n', 'x\n'), 'a\nb\nx\n');
    assert.equal(insertLines('a\nb', 'x'), 'a\nb\nx\n');
    assert.equal(insertLines('a\nb\nc\n', 'x\ny\n', { start: 1, end: 2 }), 'a\nx\ny\nc\n');
    assert.equal(insertLines('a\nb\n', 'x\n', { start: 1, end: 1 }), 'a\nx\nb\n');
    assert.equal(insertLines('', 'x\n', { start: 0, end: 0 }), 'x\n');
  });

  it('turns one text into the other when an editor applies it', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ''), { maxLength: 6 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { start, end, text: replacement } = minimalReplacement(before, after) ?? { start: 0, end: 0, text: '' };
        assert.equal(before.slice(0, start) + replacement + before.slice(end), after);
      }),
    );
  });

  it('adjusts the indentation of inserted code', () => {
    assert.equal(reindent('  if (a) {\n    b();\n  }\n', '    '), 'if (a) {\n      b();\n    }');
    assert.equal(reindent('x', 'const y = '), 'x');
    assert.equal(reindent('', ''), '');
  });
});
