import assert from 'node:assert/strict';
import { decide, NO_DISK } from '../../../../src/permissions/rules/decide';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import type { Decision, RuleRequest } from '../../../../src/permissions/rules/ruleRequest';
import { rulesFromAnswer } from '../../../../src/permissions/rules/rulesFromAnswer';
import { argv, line, sourced } from './corpus';

/** An approval includes the variables: the same words with other variables may run something else (docs/security.md, row 9). */
describe('rules: variables of a command', () => {
  const ALLOW: readonly Rule[] = [
    { decision: 'allow', command: 'npm test' },
    { decision: 'allow', command: ['env', 'LD_PRELOAD=./x.so', 'npm', 'test'] },
  ];
  const decided = (request: RuleRequest, rules = ALLOW): Decision => decide(request, sourced(rules));
  const withEnv = (env: Record<string, string>): RuleRequest => {
    const request = argv('npm', 'test');
    return { ...request, command: { ...request.command, env } };
  };

  it('require approval, whatever rules allow, if they decide what is run', () => {
    for (const [name, value] of [
      ['LD_PRELOAD', './x.so'],
      ['CGO_CFLAGS', '-fplugin=./x.so'],
      ['TESTFLAGS', '-exec ./x'],
      ['MYOPTS', 'x'],
      ['MANPAGER', './x'],
      ['GOCACHEPROG', './x'],
      ['GCC_EXEC_PREFIX', 'x'],
      ['CROSS_COMPILE', './x-'],
      ['x', '$(cat .env)'],
      ['x', '`id`'],
      ['x', 'a[$y]'],
      ['x', `${'['.repeat(1_000_000)}$y`],
      ['x', '${y@P}'],
      ['GLOBIGNORE', 'x'],
      ['DYLD_INSERT_LIBRARIES', 'x'],
      ['PATH', './bin'],
      ['Path', './bin'],
      ['NODE_OPTIONS', '--require ./x.js'],
      ['GIT_SSH_COMMAND', 'sh x'],
      ['GIT_EXTERNAL_DIFF', 'x'],
      ['GIT_CONFIG_COUNT', '1'],
      ['BASH_ENV', './x'],
      ['ENV', './x'],
      ['PYTHONPATH', 'x'],
      ['PERL5OPT', '-Mx'],
      ['RUBYOPT', '-rx'],
      ['npm_config_script_shell', './x'],
      ['JAVA_TOOL_OPTIONS', '-javaagent:x'],
      ['PAGER', 'sh x'],
      ['EDITOR', './x'],
      ['HTTPS_PROXY', 'http://x'],
      ['HOME', '/tmp/x'],
      ['DOTNET_STARTUP_HOOKS', 'x'],
    ] as const) {
      const { decision, by, reason } = decided(withEnv({ NO_COLOR: '1', [name]: value }));
      assert.deepEqual([decision, by], ['ask', 'protection'], name);
      assert.equal(
        reason,
        `the command sets ${name}, a variable that can change which code runs; this always requires approval`,
      );
    }
  });

  it('are found in every syntax that sets them', () => {
    for (const text of [
      'LD_PRELOAD=./x.so npm test',
      'export PATH=.:$PATH && npm test',
      'env LD_PRELOAD=./x.so npm test',
      'sudo env BASH_ENV=x npm test',
      'sh -c "NODE_OPTIONS=--require=./x npm test"',
      'true && GIT_SSH_COMMAND="sh x" git fetch',
    ])
      assert.deepEqual([decided(line(text)).decision, decided(line(text)).by], ['ask', 'protection'], text);
    assert.equal(decided(line('npm run NODE_OPTIONS=x')).by, 'agent');
    assert.equal(decided(line('GIT_PAGER=cat git log')).by, 'agent');
  });

  it('are ignored if they only name the caller or the output style', () => {
    const plain = {
      NO_COLOR: '1',
      CLAUDECODE: '1',
      TERM: 'dumb',
      LC_ALL: 'C.UTF-8',
      GIT_PAGER: 'cat',
      GIT_EDITOR: 'true',
    };
    assert.equal(decided(withEnv(plain)).decision, 'allow');
    assert.equal(decided(withEnv({ NODE_OPTIONS: '--max-old-space-size=4096' })).decision, 'allow');
    assert.equal(decided(withEnv({ TERM: '../../x' })).decision, 'ask');
  });

  it('of all other kinds match no allow rule, but match deny rules', () => {
    const { decision, by, reason } = decided(withEnv({ STAGE: 'production', TARGET: 'x' }));
    assert.deepEqual([decision, by], ['ask', 'agent']);
    assert.equal(reason, 'the command sets STAGE, TARGET, and rules do not cover variables');
    assert.equal(decided(withEnv({ STAGE: 'x' }), [{ decision: 'deny', command: 'npm **' }]).decision, 'deny');
  });

  it('create no rule that would allow the command without them', () => {
    assert.deepEqual(rulesFromAnswer(withEnv({ STAGE: 'x' }), 'allow'), {
      rules: [],
      note: 'No rule was created: the command sets variables, and rules do not cover variables.',
    });
    assert.equal(rulesFromAnswer(withEnv({ STAGE: 'x' }), 'deny').rules.length, 1);
    assert.equal(rulesFromAnswer(withEnv({ NO_COLOR: '1' }), 'allow').rules.length, 1);
  });
});

describe('rules: a command with very many paths', () => {
  const all: readonly Rule[] = [
    { decision: 'allow' },
    { decision: 'allow', command: 'cat **' },
    { decision: 'allow', command: 'cd **' },
    { decision: 'deny', path: 'secret/**' },
  ];

  /** Number of lookups of a file's real names, each on the disk. */
  function lookups(request: RuleRequest): { count: number; decision: Decision } {
    let count = 0;
    const namesOf = (path: string): readonly string[] => {
      count += 1;
      return [path];
    };
    const decision = decide(request, sourced(all), { ...NO_DISK, namesOf });
    return { count, decision };
  }

  it('requires approval after a limited number of disk accesses', () => {
    const words = Array.from({ length: 2_500 }, (_, index) => `f${index}`);
    const cds = Array.from({ length: 1_000 }, (_, index) => `cd d${index}`).join(';');
    for (const request of [
      argv('cat', ...words),
      line(`cat ${words.slice(0, 1_500).join(' ')}`),
      line(`${cds};cat a`),
      line(`cd a;cd b;cd c;cd d;cat ${words.slice(0, 1_400).join(' ')}`),
      line(`xargs cat ${words.slice(0, 1_400).join(' ')}`),
      line(`cd ${words.slice(0, 400).join(' ')};cat ${words.slice(0, 400).join(' ')}`),
      line(
        `cd ${words.slice(0, 400).join(' ')};cat a${words
          .slice(0, 1_200)
          .map((word) => `>${word}`)
          .join('')}`,
      ),
    ]) {
      const { count, decision } = lookups(request);
      assert.equal(decision.decision, 'ask', request.title.slice(0, 60));
      assert.ok(count <= 3_000, `${count} lookups for ${request.title.slice(0, 60)}`);
    }
    assert.equal(lookups(line(`cat ${words.slice(0, 300).join(' ')}`)).decision.decision, 'allow');
  });
});
