import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codeEdit, isFileDeletion, isPatch, findPatchedPath } from '../../../../../src/ui/chat/content/codeEdit';

const FILE = `import { a } from './a';

export function one(): number {
  return 1;
}

export class Two {
  two(): number {
    return 2;
  }

  three(): number {
    return 3;
  }
}
`;

describe('inserting a code block into a file', () => {
  it('replaces the function with the same first and last line', () => {
    const edit = codeEdit(FILE, 'export function one(): number {\n  const n = 11;\n  return n;\n}\n');
    assert.equal(edit?.isCertain, true);
    assert.equal(edit?.text, FILE.replace('  return 1;', '  const n = 11;\n  return n;'));
  });

  it('adds the indentation that the agent omitted', () => {
    const edit = codeEdit(FILE, 'three(): number {\n  return 33;\n}');
    assert.equal(edit?.text, FILE.replace('return 3;', 'return 33;'));
  });

  it('keeps code that a comment stands for', () => {
    const code = `import { a, b } from './a';
// ... existing code ...
  three(): number {
    return b;
  }
// ... rest of the file
`;
    // The first line is new: nothing indicates its position.
    assert.equal(codeEdit(FILE, code), undefined);
    const edit = codeEdit(FILE, code.replace('{ a, b }', '{ a }'));
    assert.equal(edit?.text, FILE.replace('return 3;', 'return b;'));
  });

  it('applies a patch, and reports one that does not match', () => {
    const patch = `--- a/x.ts\n+++ b/x.ts\n@@ -3,3 +3,3 @@\n export function one(): number {\n-  return 1;\n+  return 111;\n }\n`;
    assert.ok(isPatch(patch));
    assert.equal(findPatchedPath(patch), 'x.ts');
    assert.deepEqual(codeEdit(FILE, patch), { text: FILE.replace('return 1;', 'return 111;'), isCertain: true });
    assert.equal(codeEdit('something else\n', patch), undefined);
  });

  it('replaces a whole file only after review', () => {
    const whole = FILE.replace("import { a } from './a';", "import { z } from './z';").replace(
      'return 2;',
      'return 22;',
    );
    assert.deepEqual(codeEdit(FILE, whole), { text: whole, isCertain: false });
    // The same first line, and a last line that also ends an earlier block.
    const sameEnds = FILE.replace('return 2;', 'return 22;');
    assert.deepEqual(codeEdit(FILE, sameEnds), { text: sameEnds, isCertain: false });
  });

  it('rejects ambiguous code', () => {
    assert.equal(codeEdit(FILE, 'console.log("somewhere");'), undefined);
    assert.equal(codeEdit('a();\nb();\na();\n', 'a();'), undefined);
    assert.equal(codeEdit(FILE, '}\n'), undefined);
  });

  it('distinguishes a patch that deletes a file from one that empties it, and requires review for both', () => {
    const body = '@@ -1,2 +0,0 @@\n-one\n-two\n';
    const deletion = `--- a/old.ts\t2026\n+++ /dev/null\n${body}`;
    const emptying = `--- a/old.ts\n+++ b/old.ts\n${body}`;
    assert.deepEqual(
      [isFileDeletion(deletion), isFileDeletion(emptying), isFileDeletion('+++ /dev/null')],
      [true, false, false],
    );
    assert.deepEqual([findPatchedPath(deletion), findPatchedPath(emptying)], ['old.ts', 'old.ts']);
    for (const patch of [deletion, emptying])
      assert.deepEqual(codeEdit('one\ntwo\n', patch), { text: '', isCertain: false });
    assert.equal(codeEdit('one\ntwo\nthree\n', deletion)?.text, 'three\n', 'so it is not deleted');
  });

  it('creates a file from a patch', () => {
    const patch = '--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+export const a = 1;\n+export const b = 2;\n';
    const edit = { text: 'export const a = 1;\nexport const b = 2;\n', isCertain: true };
    assert.deepEqual(codeEdit('', patch), edit);
    assert.deepEqual(
      codeEdit('', `diff --git a/new.ts b/new.ts\nnew file mode 100644\nindex 000..123\n${patch}`),
      edit,
    );
  });

  it('fills an empty file', () => {
    assert.deepEqual(codeEdit('\n', 'x'), { text: 'x\n', isCertain: true });
  });

  it('changes no line outside the replaced range', () => {
    const line = fc.constantFrom('alpha', 'beta {', '}', '  gamma', '', 'delta', '// ...');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 5 }), (before, code) => {
        const old = [...before, 'unique end'].join('\n');
        const edit = codeEdit(old, code.join('\n'));
        if (edit?.isCertain) assert.ok(edit.text.split('\n').includes('unique end'));
      }),
    );
  });
});
