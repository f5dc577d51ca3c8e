import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  commitPrompt,
  extractCommitMessage,
  repositoryFolder,
  shortDiff,
} from '../../../../src/ui/editorActions/commitPrompt';
import type { PromptProblem } from '../../../../src/ui/editorActions/problemPrompt';
import { contextLines, problemPrompt } from '../../../../src/ui/editorActions/problemPrompt';
import { failureText, testPrompt } from '../../../../src/ui/editorActions/testPrompt';
import { changelogFragment, isNewVersion, minorOf } from '../../../../src/ui/editorActions/whatsNewText';

function problem(first: number, last = first, more: Partial<PromptProblem> = {}): PromptProblem {
  return { lines: { first, last }, severity: 'error', message: 'wrong', ...more };
}

describe('messages about problems', () => {
  it('name the position, the source, and related positions', () => {
    const one = problem(7, 7, {
      message: 'Type A\nis not B',
      source: 'ts',
      code: '2322',
      related: ['src/b.ts:3: B is here'],
    });
    assert.equal(
      problemPrompt('fix', 'src/a.ts', [one]),
      'Fix this problem in src/a.ts:\n\n- line 7: error: Type A\n  is not B (ts 2322)\n  - src/b.ts:3: B is here',
    );
    assert.match(
      problemPrompt('explain', 'src/a.ts', [one, one]),
      /^Explain these 2 problems in src\/a\.ts and .*Do not change anything yet\.\n/,
    );
  });

  it('escape hidden characters, and list at most twenty problems', () => {
    const all = Array.from({ length: 25 }, (_, line) => problem(line + 1, line + 1, { message: 'a\u202eb' }));
    const text = problemPrompt('fix', 'x', all);
    assert.match(text, /line 20: error: a\\u\{202e\}b\n- and 5 more$/);
    assert.doesNotMatch(text, /line 21|\u202e/);
  });

  it('attach the surrounding lines of each problem, merged if they overlap', () => {
    assert.deepEqual(contextLines([problem(2), problem(8), problem(90, 95)], 96), [
      { first: 1, last: 11 },
      { first: 87, last: 96 },
    ]);
    assert.equal(
      contextLines(
        Array.from({ length: 6 }, (_, at) => problem(1 + at * 50)),
        1000,
      ),
      undefined,
    );
  });

  it('attach existing lines only, and each one once', () => {
    const problems = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(5)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(problems, (at) => {
        const all = at.map(([first, length]) => problem(first, Math.min(40, first + length)));
        const ranges = contextLines(all, 40);
        if (!ranges) return;
        for (const { lines } of all)
          assert.ok(ranges.some(({ first, last }) => first <= lines.first && lines.last <= last));
        for (const [index, { first, last }] of ranges.entries()) {
          assert.ok(first >= 1 && last <= 40 && first <= last);
          assert.ok(index === 0 || first > (ranges[index - 1]?.last ?? 0) + 1);
        }
      }),
    );
  });
});

describe('messages about tests', () => {
  it('ask to run a test without output, and to fix one that failed', () => {
    assert.match(testPrompt('fix', { name: 'a › b', stack: [] }), /^Run the test “a › b”/);
    assert.match(testPrompt('fix', { name: 'a', message: 'no', stack: [] }), /^The test “a” fails/);
    assert.equal(failureText({ name: 'a', stack: [] }), undefined);
  });

  it('contain all details of a failure', () => {
    const failure = {
      name: 'adds',
      message: 'not equal',
      expected: '1',
      actual: '2',
      location: 'a.ts:3',
      stack: ['f (a.ts:3)', 'g'],
    };
    assert.equal(
      failureText(failure),
      'Test: adds\n\nFailed at: a.ts:3\n\nMessage:\nnot equal\n\nExpected:\n1\n\nActual:\n2\n\nStack:\n  at f (a.ts:3)\n  at g',
    );
  });
});

describe('commit messages', () => {
  const facts = { diff: '+a', untracked: [], recent: [], typedBefore: '' };

  it('are requested with recent commits, the current text, new files and a safe fence', () => {
    const prompt = commitPrompt({ diff: '+```js\n', untracked: ['new.ts'], recent: ['fix: x'], typedBefore: 'feat' });
    for (const part of [/- fix: x/, /keep what it says:\nfeat/, /New files:\n- new\.ts/, /````diff\n\+```js\n````/]) {
      assert.match(prompt, part);
    }
    assert.match(commitPrompt(facts), /at most 72 characters/);
    assert.doesNotMatch(commitPrompt(facts), /New files|has begun/);
  });

  it('include the beginning of every file of a long diff', () => {
    const file = (name: string): string => `diff --git a/${name} b/${name}\n${'+line\n'.repeat(30_000)}`;
    const cut = shortDiff(file('one') + file('two'));
    assert.ok(cut.length < 130_000, String(cut.length));
    assert.match(cut, /diff --git a\/one[^]*more characters of this file[^]*diff --git a\/two/);
    const many = Array.from({ length: 500 }, (_, at) => file(`f${at}`)).join('');
    assert.ok(shortDiff(many).length < 250_000);
    assert.equal(shortDiff('+a'), '+a');
  });

  it('are generated in the folder of their repository, if it is open', () => {
    const folders = ['/w/app', '/w/lib'];
    for (const [root, folder] of [
      ['/w/lib', '/w/lib'],
      ['/w/lib/vendor/x', '/w/lib/vendor/x'],
      ['/w', '/w/app'],
      ['/elsewhere', undefined],
    ] as const)
      assert.equal(repositoryFolder(root, folders), folder, root);
  });

  it('are extracted from any form of answer', () => {
    const message = 'fix: the loop\n\nIt ran twice.';
    for (const answer of [
      message,
      `Here it is:\n\n\`\`\`\n${message}\n\`\`\`\nI hope it helps.`,
      `\`\`\`text\n${message}\n\`\`\``,
      `**Commit message:**\n${message}`,
      `Commit message: ${message}  `,
      `"${message}"`,
    ]) {
      assert.equal(extractCommitMessage(answer), message);
    }
    assert.equal(extractCommitMessage(' \n'), '');
    assert.equal(extractCommitMessage('say "hi" and "bye"'), 'say "hi" and "bye"');
    const blanks = ' '.repeat(60_000);
    assert.equal(extractCommitMessage(`a${blanks}b${blanks}\nc`).slice(0, 2), 'a ');
    assert.equal(extractCommitMessage('a\u202eb'), 'a\\u{202e}b');
  });
});

describe('the notification of a new version', () => {
  it('is shown once for a later minor version, not after the first start or for a patch', () => {
    assert.equal(isNewVersion(minorOf('0.2.0'), undefined), false);
    assert.equal(isNewVersion(minorOf('0.2.3'), '0.2'), false);
    assert.equal(isNewVersion(minorOf('0.10.0'), '0.9'), true);
    assert.equal(isNewVersion(minorOf('1.0.0'), '0.9'), true);
    assert.equal(isNewVersion(minorOf('0.1.0'), '0.2'), false);
    assert.equal(isNewVersion(minorOf('dev'), '0.2'), false);
  });

  it('links to its section of the changelog', () => {
    const log = '# Changelog\n\n## 0.2.1 (2026-12-01)\n\n- b\n\n## 0.2.0\n\n- a\n\n## 0.1.0\n';
    assert.equal(changelogFragment(log, '0.2'), '021-2026-12-01');
    assert.equal(changelogFragment(log, '0.1'), '010');
    assert.equal(changelogFragment(log, '0.3'), undefined);
  });
});
