import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { escapeInvisible } from '../../../../src/base/untrustedText';
import { literalWord } from '../../../../src/permissions/rules/commandPattern';
import { decide } from '../../../../src/permissions/rules/decide';
import type { Rule, SourcedRule } from '../../../../src/permissions/rules/permissionRule';
import { pathInFolders } from '../../../../src/permissions/rules/rulePaths';
import type { Decision, RuleRequest } from '../../../../src/permissions/rules/ruleRequest';
import { anyText } from '../../../fuzz/anyText';
import { argv, file, line, LINES, other, REQUESTS, RULE_SETS, sourced, TRICKS } from './corpus';

/** Characters that some file systems treat as equal to these. */
const SAME: Readonly<Record<string, string>> = { s: '\u017F', k: '\u212A' };

const GOLDEN = join(process.cwd(), 'test/golden/decisions.txt');

describe('rules: the decision table', () => {
  it('has the expected decision for every request of the corpus (golden file)', () => {
    const table = Object.entries(RULE_SETS).map(([name, rules]) =>
      [`## ${name}`, ...REQUESTS.map((request) => row(request, rules)), ''].join('\n'),
    );
    const text = table.join('\n');
    if (process.env['UPDATE_GOLDEN']) {
      mkdirSync(dirname(GOLDEN), { recursive: true });
      writeFileSync(GOLDEN, text);
    }
    const rows = text.split('\n').filter((each) => /^(?:allow|ask|deny) /.test(each));
    assert.ok(rows.length >= 200, `${rows.length} rows`);
    for (const decision of ['allow', 'ask', 'deny'])
      assert.ok(
        rows.some((each) => each.startsWith(decision)),
        decision,
      );
    assert.equal(text, readFileSync(GOLDEN, 'utf8'));
  });

  it('allows a redirection only by a rule without a title, which the agent writes for the whole command', () => {
    const decisionWith = (more: Partial<Rule>): string =>
      decide(
        { ...line('cat a > out/b'), title: 'Show a' },
        sourced([
          { decision: 'allow', command: 'cat **' },
          { decision: 'allow', kind: 'edit', path: 'out/**', ...more },
        ]),
      ).decision;
    assert.equal(decisionWith({}), 'allow');
    assert.equal(decisionWith({ title: 'Show a' }), 'ask');
  });

  it('checks redirections as edits or reads, and asks about a command that names a restricted file', () => {
    const decisionOf = (text: string, ...rules_: Rule[]): string => {
      const allowed: Rule[] = [
        { decision: 'allow', command: 'cat **' },
        { decision: 'allow', command: 'cp **' },
      ];
      return decide(
        line(text),
        sourced([...allowed, { decision: 'allow', kind: 'edit' }, { decision: 'allow', kind: 'read' }, ...rules_]),
      ).decision;
    };
    const secret: Rule = { decision: 'deny', path: 'secret/**' };
    assert.equal(decisionOf('cat a > secret/b'), 'allow');
    assert.equal(decisionOf('cat a > secret/b', secret), 'deny');
    assert.equal(decisionOf('cat a > secret/b', { ...secret, kind: 'edit' }), 'deny');
    assert.equal(decisionOf('cat a > secret/b', { decision: 'deny', kind: 'edit' }), 'deny');
    assert.equal(decisionOf('cat a > secret/b', { ...secret, kind: 'read' }), 'allow');
    assert.equal(decisionOf('cat < secret/b', { ...secret, kind: 'read' }), 'deny');
    // A word may not be a file: permission is required, whatever the rule would decide for the file.
    assert.equal(decisionOf('cat secret/b'), 'allow');
    assert.equal(decisionOf('cat secret/b', secret), 'ask');
    assert.equal(decisionOf('cat x/../SECRET/b', secret), 'ask');
    assert.equal(decisionOf('cat secret/b', { ...secret, kind: 'read' }), 'ask');
    assert.equal(decisionOf('cat secret/b', { ...secret, kind: 'edit' }), 'allow');
    assert.equal(decisionOf('cp a secret/b', { ...secret, kind: 'edit' }), 'ask');
    assert.equal(decisionOf('cat a', secret), 'allow');
    assert.equal(decisionOf('cat secret/b', { ...secret, agent: 'gemini' }), 'allow');
    assert.equal(decisionOf(`cat ${'x '.repeat(4000)}`, secret), 'allow');
    const many = Array.from({ length: 900 }, (_, at) => `f${at}`).join(' ');
    assert.equal(decisionOf(`cat ${many}`), 'allow');
    assert.equal(decisionOf(`cat ${many}`, secret), 'ask');
  });

  it('allows no bypass, whatever the patterns allow', () => {
    for (const [name, rules_] of Object.entries(RULE_SETS)) {
      for (const trick of TRICKS) assert.notEqual(decide(line(trick), rules_).decision, 'allow', `${name}: ${trick}`);
    }
  });
});

function row(request: RuleRequest, rules: readonly SourcedRule[]): string {
  const { decision, by, reason, destructive } = decide(request, rules);
  const { kind, command, paths, tool, title, agent } = request;
  const what = command?.line ?? (command?.argv && JSON.stringify(command.argv)) ?? (paths.join(' ') || tool || title);
  const who = agent === 'claude' ? '' : ` (${agent})`;
  const shown = escapeInvisible(what).replaceAll('\n', '\\n');
  const danger = destructive === undefined ? '' : ` !! ${destructive}`;
  return `${decision.padEnd(5)} ${by.padEnd(10)} ${kind.padEnd(7)} ${shown}${who} => ${escapeInvisible(reason).replaceAll('\n', '\\n')}${danger}`;
}

/** From allow without a request to deny. */
const STRICTNESS: Readonly<Record<Decision['decision'], number>> = { allow: 0, ask: 1, deny: 2 };

const word = fc.constantFrom(
  'npm',
  'test',
  'git',
  'log',
  'cat',
  'rm',
  '-rf',
  'src/a.ts',
  '.env',
  '../x',
  '/etc/passwd',
  'a b',
  '--output=x',
  '*',
  'x;y',
  '$(id)',
);
const words = fc.array(word, { minLength: 1, maxLength: 4 });
const quoted = words.map((list) => list.map((each) => (/^[\w./=-]+$/.test(each) ? each : `'${each}'`)).join(' '));
const joined = fc
  .tuple(
    quoted,
    fc.array(fc.tuple(fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n', ' & ', ' > '), quoted), { maxLength: 3 }),
  )
  .map(([first, more]) => first + more.flat().join(''));
const path = fc
  .array(
    fc.constantFrom('src', 'a.ts', '..', '.git', '.VSCODE', '.env', 'package.json', 'docs', 'settings.json', 'x.pem'),
    { minLength: 1, maxLength: 4 },
  )
  .map((names) => `/ws/app/${names.join('/')}`);
const kind = fc.constantFrom('read', 'edit', 'delete', 'move', 'search', 'fetch', 'other', 'execute') as fc.Arbitrary<
  RuleRequest['kind']
>;
const request: fc.Arbitrary<RuleRequest> = fc.oneof(
  fc.oneof(joined, fc.constantFrom(...TRICKS, ...LINES)).map((text) => line(text)),
  words.map((list) => argv(...list)),
  fc.tuple(kind, fc.array(path, { minLength: 1, maxLength: 3 })).map(([what, paths]) => file(what, ...paths)),
  kind.map((what) => other({ kind: what })),
);
const command = fc.oneof(
  words.map((list) => list.map((each) => (each === '*' ? '*' : literalWord(each)))),
  fc.constantFrom('npm **', 'git **', 'cat **', 'rm **', 'git log **', 'npm test'),
);
const fields = fc.record(
  {
    kind: fc.constantFrom('read', 'edit', 'execute'),
    command,
    path: fc.constantFrom('**', 'src/**', '*.ts', '/ws/**', '.git/**'),
    title: fc.constantFrom('*', 'npm*', 'Do it'),
    agent: fc.constantFrom('claude', 'gemini'),
  },
  { requiredKeys: [] },
);
const rule = (decision: Rule['decision']): fc.Arbitrary<Rule> => fields.map((given) => ({ decision, ...given }));
const anyRule = fc.oneof(rule('allow'), rule('ask'), rule('deny'));
const source = fc.constantFrom('user', 'workspace', 'remembered') as fc.Arbitrary<SourcedRule['source']>;
const rules = fc.array(fc.record({ rule: anyRule, source }), { maxLength: 6 });

describe('rules: properties', () => {
  it('a further ask or deny rule never allows more', () => {
    const added = fc.record({ rule: fc.oneof(rule('ask'), rule('deny')), source });
    fc.assert(
      fc.property(request, rules, added, fc.nat(6), (asked, given, more, at) => {
        const before = decide(asked, given);
        const after = decide(asked, given.toSpliced(at, 0, more));
        assert.ok(STRICTNESS[after.decision] >= STRICTNESS[before.decision], `${before.reason} -> ${after.reason}`);
      }),
      { numRuns: 300 },
    );
  });

  it('a matching deny rule always wins', () => {
    fc.assert(
      fc.property(request, rules, (asked, given) => {
        const denied = decide(asked, [...given, ...sourced([{ decision: 'deny' }], 'workspace')]);
        assert.equal(denied.decision, 'deny');
      }),
    );
  });

  it('the order of rules changes only which one is named', () => {
    const shuffled = rules.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    );
    fc.assert(
      fc.property(request, shuffled, (asked, [given, other_]) => {
        const [a, b] = [decide(asked, given), decide(asked, other_)];
        assert.deepEqual([a.decision, a.by, a.destructive], [b.decision, b.by, b.destructive]);
      }),
      { numRuns: 300 },
    );
  });

  it('a workspace cannot allow anything', () => {
    fc.assert(
      fc.property(request, fc.array(rule('allow'), { maxLength: 5 }), (asked, allowing) => {
        assert.notEqual(decide(asked, sourced(allowing, 'workspace')).decision, 'allow');
      }),
    );
  });

  it('a chain is allowed only if each of its commands is allowed', () => {
    const chain = fc.tuple(quoted, fc.constantFrom(' && ', ' || ', '; ', ' | '), quoted);
    fc.assert(
      fc.property(
        chain,
        fc.array(rule('allow'), { minLength: 1, maxLength: 6 }),
        ([first, operator, second], allowing) => {
          const given = sourced(allowing);
          const whole = decide(line(first + operator + second, { title: 't' }), given);
          if (whole.decision !== 'allow') return;
          for (const part of [first, second])
            assert.equal(decide(line(part, { title: 't' }), given).decision, 'allow', part);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a line with a command that no rule names is never allowed, in any syntax', () => {
    const evil = fc.constantFrom('evil', 'evil --now', '/tmp/evil', '"evil"', 'ev\\il');
    const ways: readonly ((good: string, bad: string) => string)[] = [
      (good, bad) => `${good}; ${bad}`,
      (good, bad) => `${bad} && ${good}`,
      (good, bad) => `${good} | ${bad}`,
      (good, bad) => `${good} || ${bad}`,
      (good, bad) => `${good} & ${bad}`,
      (good, bad) => `${good}\n${bad}`,
      (good, bad) => `${good}\r\n${bad}`,
      (good, bad) => `${good} $(${bad})`,
      (good, bad) => `${good} \`${bad}\``,
      (good, bad) => `${good} "$(${bad})"`,
      (good, bad) => `${good} <(${bad})`,
      (good, bad) => `(${bad}); ${good}`,
      (good, bad) => `{ ${bad}; }; ${good}`,
      (good, bad) => `if ${bad}; then ${good}; fi`,
      (good, bad) => `f() { ${bad}; }; ${good}`,
      (good, bad) => `sudo ${bad}; ${good}`,
      (good, bad) => `! ${bad}; ${good}`,
      (good, bad) => `time ${bad}; ${good}`,
      (good, bad) => `${good} \${x:-$(${bad})}`,
      (good, bad) => `${good} <<EOF\n$(${bad})\nEOF`,
    ];
    const given = sourced(
      ['npm test **', 'git log **', 'cat **', 'sudo **'].map((each): Rule => ({ decision: 'allow', command: each })),
    );
    fc.assert(
      fc.property(fc.constantFrom('npm test', 'git log', 'cat a'), evil, fc.constantFrom(...ways), (good, bad, way) => {
        assert.equal(decide(line(good), given).decision, 'allow');
        assert.notEqual(decide(line(way(good, bad)), given).decision, 'allow', way(good, bad));
      }),
      { numRuns: 300 },
    );
  });

  it('a protected or outside path is never allowed, in any spelling', () => {
    const names = fc.constantFrom(
      '.git/config',
      '.vscode/settings.json',
      '.mcp.json',
      '.claude/x',
      'x.code-workspace',
      '.env',
      '.github/workflows/a.yml',
      'AGENTS.md',
      'id_rsa',
    );
    const spelled = fc
      .tuple(
        names,
        fc.func(fc.boolean()),
        fc.constantFrom('', '.', ' ', '::$DATA', '. .'),
        fc.constantFrom('', 'sub/', 'sub/../', './'),
      )
      .map(([name, upper, end, before]) => {
        const cased = Array.from(name, (char, index) => (upper(index) ? (SAME[char] ?? char.toUpperCase()) : char))
          .join('')
          .normalize('NFD');
        return `/ws/app/${before}${cased}${end}`;
      });
    const outside = fc.constantFrom('/etc/passwd', '/ws/app-evil/x', '/ws/app/../x', '/', '/ws');
    fc.assert(
      fc.property(
        fc.oneof(spelled, outside),
        fc.constantFrom('edit', 'delete', 'move', 'other') as fc.Arbitrary<RuleRequest['kind']>,
        (where, what) => {
          const given = sourced([
            { decision: 'allow' },
            { decision: 'allow', path: '**' },
            { decision: 'allow', path: '/**' },
          ]);
          assert.deepEqual(
            [decide(file(what, where), given).decision, decide(file(what, where), given).by],
            ['ask', 'protection'],
            where,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a path is restricted in any letter case that a file system may treat as equal', () => {
    const rules = sourced([
      { decision: 'deny', path: 'docs/Straße/**' },
      { decision: 'deny', path: 'secret.txt' },
    ]);
    for (const path of ['DOCS/straße/a', 'docs/\u017FTRAßE/a', 'docs/STRAẞE/a', 'x/\u017Fecret.txt', 'SECRET.TXT']) {
      assert.equal(decide(file('edit', `/ws/app/${path}`), rules).decision, 'deny', path);
    }
  });

  it('a path is found in a Windows folder whose name is longer in lower case', () => {
    const folder = String.raw`C:\İİİİİ\ws`;
    const place = (path: string): string | undefined => pathInFolders([folder], folder + path);
    assert.equal(place(String.raw`\.git\config`), '.git/config');
    assert.equal(pathInFolders([folder], String.raw`c:\İİİİİ\WS\.git\config`), '.git/config');
    assert.equal(pathInFolders([folder], String.raw`C:\İİİİİ\ws-evil\a`), undefined);
    assert.equal(place(''), '');
    assert.equal(pathInFolders(['/'], '/a/b'), 'a/b');
    assert.equal(pathInFolders(['/host/share'], '//host/share/a'), undefined);
  });

  it('a line of many options is decided at once', () => {
    const lines = [
      `docker ps --a${' --s'.repeat(2_000)} =`,
      `podman images${' --no-trunc'.repeat(800)} .`,
      `hg${' -n'.repeat(3_000)} x`,
      `uv run${' -n'.repeat(3_000)} x`,
    ];
    for (const text of lines) assert.equal(decide(line(text), sourced([])).decision, 'ask');
  });

  it('any text is parsed as a command line without failing or hanging', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 200 }),
          anyText({ maxLength: 100 }),
          fc
            .array(fc.constantFrom('$(', '`', '(', '{', '"', "'", '<<', 'eval ', 'sudo ', 'a'), { maxLength: 200 })
            .map((parts) => parts.join('')),
        ),
        (text) => {
          assert.ok(decide(line(text), sourced([{ decision: 'allow' }])).reason);
        },
      ),
      { numRuns: 300 },
    );
    for (const deep of [
      '$('.repeat(5000),
      'eval '.repeat(2000),
      '('.repeat(9000),
      'sudo '.repeat(2000),
      `${'sh -c "'.repeat(500)}x`,
    ])
      assert.notEqual(decide(line(deep), sourced([{ decision: 'allow' }])).decision, 'allow');
  });
});
