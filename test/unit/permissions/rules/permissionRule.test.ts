import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commandPattern, literalWord, matchesCommand } from '../../../../src/permissions/rules/commandPattern';
import { rulesReader, ruleText } from '../../../../src/permissions/rules/permissionRule';
import { matchesPath } from '../../../../src/permissions/rules/ruleMatch';
import { ruleSentence } from '../../../../src/permissions/rules/ruleSentence';
import { matchesWildcard } from '../../../../src/permissions/rules/wildcard';

describe('rules: settings', () => {
  const read = (value: unknown) => {
    const problems: string[] = [];
    const rules = rulesReader(value, (message, field = '') => problems.push(`${field}: ${message}`));
    return { rules, problems };
  };

  it('accepts valid rules, and reports the position of invalid ones, which are skipped', () => {
    const right = { decision: 'allow', command: 'npm test', agent: 'x' };
    const { rules, problems } = read([
      right,
      { decision: 'maybe' },
      { decision: 'allow', comand: 'npm' },
      { decision: 'deny', kind: 'exec' },
      { decision: 'deny', command: 'npm "test' },
      { decision: 'deny', command: '** x' },
      { decision: 'ask', path: '' },
      'npm test',
    ]);
    assert.deepEqual(rules, [right]);
    assert.deepEqual(problems, [
      '[1].decision: expected "allow", "ask" or "deny", got the string "maybe"',
      '[2].comand: unknown field; expected one of decision, kind, command, title, path, cwd, tool, agent',
      '[3].kind: expected one of read, edit, delete, move, search, execute, think, fetch, switch_mode, other, got the string "exec"',
      '[4].command: a quote is not closed: "',
      '[5].command: "**" matches the rest of the command, so it must be the last word',
      '[6].path: expected a non-empty string, got the string ""',
      '[7]: expected an object such as {"decision": "allow", "command": "npm test"}, got the string "npm test"',
    ]);
    assert.deepEqual(read({ decision: 'allow' }).problems, [': expected a list of rules, got an object']);
    assert.deepEqual(read(undefined), { rules: [], problems: [] });
  });

  it('formats a rule as a user would write it', () => {
    assert.equal(ruleText({ decision: 'allow', kind: 'edit', path: 'src/**' }), '{"kind": "edit", "path": "src/**"}');
  });
});

describe('rules: sentences', () => {
  it('tell the words of a command, and what an agent has chosen from the other parts', () => {
    const command = ['npm', 'test -- --evil', 'a, in folder /safe'];
    for (const [rule, sentence] of [
      [{ command, cwd: '/w' }, 'command npm "test -- --evil" "a, in folder /safe", in folder /w'],
      [{ command: ['rm', '-rf /'] }, 'command rm "-rf /"'],
      [{ path: 'a, agent B', agent: 'A' }, 'files "a, agent B", agent A'],
      [{ title: 'x", kind read' }, 'title "x\\", kind read"'],
      [{ command: 'git log **', path: '*.{ts,tsx}' }, 'command git log **, files *.{ts,tsx}'],
    ] as const)
      assert.equal(ruleSentence({ decision: 'allow', ...rule }), sentence);
  });
});

describe('rules: patterns', () => {
  const matches = (source: string | string[], ...argv: string[]): boolean => {
    const pattern = commandPattern(source);
    assert.ok('words' in pattern, JSON.stringify(pattern));
    return matchesCommand(pattern, argv);
  };

  it('match the words of a command one by one; `**` at the end matches the rest', () => {
    assert.ok(matches('npm test', 'npm', 'test'));
    assert.ok(!matches('npm test', 'npm', 'test', '--watch'));
    assert.ok(!matches('npm test', 'npm test'));
    assert.ok(matches('npm *', 'npm', 'test') && !matches('npm *', 'npm') && !matches('npm *', 'npm', 'a', 'b'));
    assert.ok(matches('npm **', 'npm') && matches('npm **', 'npm', 'a', 'b') && !matches('npm **', 'npmx'));
    assert.ok(
      matches('npm run test:*', 'npm', 'run', 'test:unit') && !matches('npm run test:*', 'npm', 'run', 'build'),
    );
    assert.ok(matches('git commit -m "a *"', 'git', 'commit', '-m', 'a *'));
    assert.ok(!matches('git commit -m "a *"', 'git', 'commit', '-m', 'a b'));
    assert.ok(matches("echo 'a b' c\\ d \\*", 'echo', 'a b', 'c d', '*'));
    assert.ok(matches(['git commit', '**'], 'git commit', 'x') && !matches(['git commit', '**'], 'git', 'commit'));
  });

  it('made from the words of a command match exactly that command', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', '*', '\\', ' ', '"', "'") }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, words, (argv, others) => {
        fc.pre(argv[0] !== '');
        const source = argv.map(literalWord);
        assert.ok(matches(source, ...argv));
        if (JSON.stringify(argv) !== JSON.stringify(others)) assert.ok(!matches(source, ...others));
      }),
    );
  });

  it('with `*` match like a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, subject) => {
        const regex = new RegExp(`^${pattern.split('*').join('.*')}$`, 'su');
        assert.equal(matchesWildcard(pattern, subject), regex.test(subject));
      }),
      { numRuns: 1000 },
    );
  });

  it('of paths match names anywhere, paths in a folder, or absolute paths', () => {
    const folders = ['/ws/app'];
    const on = (glob: string, path: string, wide = false): boolean => matchesPath(glob, path, folders, wide);
    assert.ok(on('*.md', '/ws/app/docs/a.md') && !on('*.md', '/etc/a.md') && on('*.md', '/etc/a.md', true));
    assert.ok(on('src/**', '/ws/app/src/x/.y') && on('./src/', '/ws/app/src/x') && !on('src/**', '/ws/app/lib/src/x'));
    assert.ok(on('/etc/**', '/etc/a/b') && !on('/etc/**', '/ws/app/etc/a'));
    assert.ok(!on('SRC/**', '/ws/app/src/x') && on('SRC/**', '/ws/app/src/x', true));
    assert.ok(!on('!src/**', '/ws/app/lib/x'));
  });
});
