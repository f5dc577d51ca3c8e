import assert from 'node:assert/strict';
import { escapeInvisible, escapeInvisibleInline, escapeMarkdownLinks } from '../../../src/base/untrustedText';
import { substituteVariables, unsetVariables } from '../../../src/base/variableSubstitution';

describe('base/variableSubstitution', () => {
  const variables = { workspaceFolder: '/ws', userHome: '/home/me', env: { NAME: 'value ${userHome}' } };

  it('replaces variables by their values, without replacing variables in the values', () => {
    const text = '${workspaceFolder}/a:${userHome}/b:${env:NAME}:${env:UNSET}:$HOME:${';
    assert.deepEqual(substituteVariables(text, variables), { value: '/ws/a:/home/me/b:value ${userHome}::$HOME:${' });
  });

  it('reports an unknown variable', () => {
    const resolved = substituteVariables('${file}', variables);
    assert.ok('problem' in resolved);
    assert.match(resolved.problem, /"\$\{file\}"/);
  });

  it('handles many starts without an end in linear time', () => {
    for (const start of ['${', '${input:a', '${env:A:-'])
      assert.deepEqual(substituteVariables(start.repeat(500_000), variables, new Set()), {
        value: start.repeat(500_000),
      });
    assert.deepEqual(unsetVariables('${a'.repeat(500_000), { ...variables, hasPlainNames: true }), []);
  });

  it('reports that no folder is open', () => {
    const resolved = substituteVariables('${workspaceFolder}/x', { ...variables, workspaceFolder: undefined });
    assert.ok('problem' in resolved);
    assert.match(resolved.problem, /no folder is open/);
  });
});

describe('base/untrustedText', () => {
  it('escapes hidden characters, and keeps all others', () => {
    assert.equal(
      escapeInvisible('a\u200bb\u202e\u001b[1m\ttab\r\nnext – ü 漢 😀'),
      'a\\u{200b}b\\u{202e}\\u{1b}[1m\ttab\nnext – ü 漢 😀',
    );
    assert.equal(escapeInvisibleInline('one\n  two\rthree'), 'one ⏎ two\\u{d}three');
    assert.equal(escapeInvisibleInline('\n one \n\t\n two\n'), ' ⏎ one ⏎ two ⏎ ');
    const joined = '\u{1f468}\u200d\u{1f469} می\u200cخواهم';
    assert.equal(escapeInvisible(joined), joined);
    assert.equal(escapeInvisible('rm\u200d'), 'rm\\u{200d}');
  });

  it('handles a long run of blanks in linear time', () => {
    const blanks = ' '.repeat(60_000);
    assert.equal(escapeInvisibleInline(`one${blanks}two${blanks}\n${blanks}three`), `one${blanks}two ⏎ three`);
  });

  it('escapes links that a notification would show', () => {
    // The pattern of VS Code (parseLinkedText).
    const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
    for (const text of ['[a](command:x)', '[[a](command:x)](command:y)', 'a]([b](file:///etc "t"))']) {
      assert.match(text, link);
      assert.doesNotMatch(escapeMarkdownLinks(text), link);
    }
  });
});
