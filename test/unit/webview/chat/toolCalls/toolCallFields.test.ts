import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ToolEntry } from '../../../../../src/shared/state/toolCallState';
import { planText } from '../../../../../src/shared/text/toolInput';
import { searchResults } from '../../../../../src/webview/chat/toolCalls/parseSearchResults';
import {
  exitCode,
  fetchAddress,
  movedPaths,
  readRange,
  resultText,
  withoutFence,
} from '../../../../../src/webview/chat/toolCalls/toolCallFields';
import { stubOf } from '../../../../kit/stubOf';

describe('results of a search', () => {
  it('are parsed as grep and ripgrep print them', () => {
    assert.deepEqual(searchResults('src/a.ts:3:const x = 1;\nsrc/a.ts-4-next\nsrc/b.ts:10:5:x: 2\n--\n'), {
      files: [
        {
          path: 'src/a.ts',
          hits: [
            { line: 3, text: 'const x = 1;' },
            { line: 4, text: 'next', isContext: true },
          ],
        },
        { path: 'src/b.ts', hits: [{ line: 10, column: 5, text: 'x: 2' }] },
      ],
      count: 2,
      notes: [],
    });
  });

  it('are parsed with headings, as ripgrep and agents print them', () => {
    const text = 'Found 2 matches\n/work/src/a.ts:\n  Line 3: const x = 1;\n\nlib/b.go\n12:x := 2\n13-y\n';
    assert.deepEqual(searchResults(text), {
      files: [
        { path: '/work/src/a.ts', hits: [{ line: 3, text: 'const x = 1;' }] },
        {
          path: 'lib/b.go',
          hits: [
            { line: 12, text: 'x := 2' },
            { line: 13, text: 'y', isContext: true },
          ],
        },
      ],
      count: 2,
      notes: ['Found 2 matches'],
    });
  });

  it('are parsed as a list of files', () => {
    const results = searchResults('Found 2 files\n/work/my notes/a.md\nsrc/b.ts\n');
    assert.deepEqual(
      results?.files.map(({ path }) => path),
      ['/work/my notes/a.md', 'src/b.ts'],
    );
    assert.equal(results?.count, 2);
  });

  it('are parsed with drive letters', () => {
    assert.deepEqual(searchResults('C:\\work\\a.cs:7:x')?.files, [
      { path: 'C:\\work\\a.cs', hits: [{ line: 7, text: 'x' }] },
    ]);
  });

  it('are not found in other text', () => {
    for (const text of [
      '',
      'No matches found',
      'The weather is fine.\nReally.\nYes, it is.\nSee src/a.ts',
      '12:30: lunch',
    ]) {
      assert.equal(searchResults(text), undefined, text);
    }
  });

  it('lose no line, for any text', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('a/b.ts:1:x', 'a/b.ts', '2:y', 'a/b.ts-3-z', '--', 'Found 1'));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        const results = searchResults(text);
        if (!results) return;
        const shown = results.files.flatMap(({ hits }) => hits).length + results.notes.length + results.files.length;
        const filled = text.split(/\r?\n/).filter((each) => each.trim() !== '' && each !== '--');
        assert.ok(shown >= new Set(filled.map((each) => each.trim())).size);
      }),
    );
  });
});

describe('fields of tool calls', () => {
  it('return the text of the content, else of the raw output in known forms', () => {
    const result = (fields: Partial<ToolEntry>) => resultText(stubOf<ToolEntry>({ rawOutput: undefined, ...fields }));
    const block = (text: string) => ({ type: 'block', block: { type: 'text', text } }) as const;
    assert.equal(result({ content: [block('a'), block('b')], rawOutput: 'no' }), 'a\nb');
    assert.equal(result({ content: [], rawOutput: { output: 'out', metadata: {} } }), 'out');
    assert.equal(result({ content: [], rawOutput: { content: [{ type: 'text', text: 'mcp' }] } }), 'mcp');
    assert.equal(result({ content: [], rawOutput: { formatted_output: 'codex' } }), 'codex');
    assert.equal(result({ content: [], rawOutput: { error: 'x' } }), undefined);
    assert.equal(result({ content: [] }), undefined);
  });

  it('return text without an enclosing fence', () => {
    assert.deepEqual(withoutFence('```console\n$ ls\na\n```\n'), { text: '$ ls\na', info: 'console' });
    assert.deepEqual(withoutFence('a\n```\nb\n```'), { text: 'a\n```\nb\n```' });
    assert.deepEqual(withoutFence('~~~~~\nb\n~~~'), { text: '~~~~~\nb\n~~~' }, 'a shorter fence ends nothing');
    assert.deepEqual(withoutFence('```\na\n```\ntext\n```\nb\n```'), { text: '```\na\n```\ntext\n```\nb\n```' });
  });

  it('return the range of read lines', () => {
    assert.deepEqual(readRange({ offset: 40, limit: 49 }), { line: 40, lastLine: 88 });
    assert.deepEqual(readRange({ view_range: [3, 9] }), { line: 3, lastLine: 9 });
    assert.deepEqual(readRange({ start_line: 3, end_line: 9 }), { line: 3, lastLine: 9 });
    assert.deepEqual(readRange({ view_range: [3, -1] }), { line: 3 });
    for (const input of [undefined, {}, { offset: 0 }, { offset: 'x' }, []]) assert.equal(readRange(input), undefined);
  });

  it('return the URL, the moved file, the exit code and the plan', () => {
    assert.equal(fetchAddress({ url: 'https://a.test/x' }, ''), 'https://a.test/x');
    assert.equal(fetchAddress({ url: 'file:///etc/passwd' }, 'Fetch https://a.test/y'), 'https://a.test/y');
    assert.equal(fetchAddress({}, 'Fetch'), undefined);
    assert.deepEqual(movedPaths({ source: 'a', destination: 'b' }), { from: 'a', to: 'b' });
    assert.equal(movedPaths({ source: 'a' }), undefined);
    assert.equal(exitCode({ metadata: { exit: 3 } }), 3);
    assert.equal(exitCode({ contents: [{ type: 'shell_exit', exitCode: 0 }] }), 0);
    assert.equal(exitCode('x'), undefined);
    assert.equal(planText({ plan: '# Do' }), '# Do');
    assert.equal(planText({ plan: ' ' }), undefined);
  });
});
