import assert from 'node:assert/strict';
import { decide } from '../../../../src/permissions/rules/decide';
import type { SourcedRule } from '../../../../src/permissions/rules/permissionRule';
import type { RuleRequest } from '../../../../src/permissions/rules/ruleRequest';
import { rulesFromAnswer } from '../../../../src/permissions/rules/rulesFromAnswer';
import type { RememberScope } from '../../../../src/shared/state/toolCallState';

const request: RuleRequest = {
  kind: 'other',
  title: 'Deploy *',
  agent: 'Mine',
  paths: [],
  folders: ['/ws'],
};

/** The decision of the rules from an answer on another request. */
function decisionOf(
  answered: RuleRequest,
  decision: 'allow' | 'deny',
  next: RuleRequest,
  scope: RememberScope = 'session',
): string {
  const rules = rulesFromAnswer(answered, decision, scope).rules.map((rule) => ({
    rule,
    source: 'remembered' as const,
  }));
  return decide(next, rules).decision;
}

describe('rules from an answer “always”', () => {
  const cases: Readonly<Record<string, readonly [answered: Partial<RuleRequest>, other: Partial<RuleRequest>]>> = {
    'everything that it shows': [
      { title: 'Deploy', subject: 'a' },
      { title: 'Deploy', subject: 'b' },
    ],
    'a title, taken literally': [{ subject: 'a' }, { title: 'Deploy all' }],
    'a file': [
      { kind: 'edit', paths: ['/ws/[a].ts'] },
      { kind: 'edit', paths: ['/ws/a.ts'] },
    ],
    'a command': [
      { kind: 'execute', command: { line: 'npm run "*"' } },
      { kind: 'execute', command: { line: 'npm run deploy' } },
    ],
    'an agent': [{ subject: 'a' }, { agent: 'Another' }],
  };
  for (const [what, [answered, other]] of Object.entries(cases)) {
    it(`apply to ${what}, and to nothing else`, () => {
      const first = { ...request, ...answered };
      for (const decision of ['allow', 'deny'] as const) {
        assert.equal(decisionOf(first, decision, first), decision);
        assert.equal(decisionOf(first, decision, { ...request, ...answered, ...other }), 'ask');
      }
    });
  }

  it('allow nothing to another agent that takes the name, and deny it the same', () => {
    const file = { ...request, kind: 'edit' as const, paths: ['/ws/a.ts'] };
    const command = { ...request, kind: 'execute' as const, command: { line: 'npm test > out.txt' } };
    for (const asked of [file, command, { ...request, tool: 'code__outline' }, { ...request, subject: 'a' }])
      for (const scope of ['session', 'workspace', 'everywhere'] as const) {
        const first = { ...asked, agentIdentity: 'one' };
        assert.equal(decisionOf(first, 'allow', first, scope), 'allow');
        for (const other of [asked, { ...asked, agentIdentity: 'two' }]) {
          assert.equal(decisionOf(first, 'allow', other, scope), 'ask');
          assert.equal(decisionOf(first, 'deny', other, scope), 'deny');
        }
      }
  });

  it('for a path alone, as the user writes them, allow only uses of files', () => {
    const rules = [{ rule: { decision: 'allow' as const, path: 'src/**' }, source: 'user' as const }];
    const kinds = ['read', 'search', 'edit', 'delete', 'move', 'fetch', 'think', 'switch_mode', 'other'] as const;
    const allowed = kinds.filter(
      (kind) => decide({ ...request, kind, paths: ['/ws/src/a.ts'] }, rules).decision === 'allow',
    );
    assert.deepEqual(allowed, ['read', 'search', 'edit', 'delete', 'move']);
  });

  it('are not created for more than 50 files or commands', () => {
    const note = 'No rule was created: it names more than 50 commands, folders or files.';
    const files = (count: number): RuleRequest => ({
      ...request,
      kind: 'edit',
      paths: Array.from({ length: count }, (_, at) => `/ws/${at}.ts`),
    });
    const line = Array.from({ length: 51 }, (_, at) => `echo ${at}`).join(' && ');
    for (const decision of ['allow', 'deny'] as const) {
      assert.equal(rulesFromAnswer(files(50), decision).rules.length, 50);
      for (const asked of [files(51), { ...request, kind: 'execute' as const, command: { line } }])
        assert.deepEqual(rulesFromAnswer(asked, decision), { rules: [], note });
    }
  });

  it('are not created from a title alone', () => {
    for (const decision of ['allow', 'deny'] as const) {
      assert.deepEqual(rulesFromAnswer(request, decision), {
        rules: [],
        note: 'No rule was created: only its title identifies the action.',
      });
    }
  });

  describe('about a command', () => {
    const folders = ['/ws/app', '/ws/lib'];
    const inFolder = (cwd: string, line = 'npm test'): RuleRequest => ({
      ...request,
      folders,
      kind: 'execute',
      command: { line, cwd },
    });
    const allows = (answered: RuleRequest, next: RuleRequest, scope: RememberScope): boolean => {
      const rules = rulesFromAnswer(answered, 'allow', scope).rules.map((rule) => ({
        rule,
        source: 'remembered' as const,
      }));
      return decide(next, rules).decision === 'allow';
    };

    it('apply in the folder where it ran, and in no other', () => {
      for (const scope of ['session', 'workspace', 'everywhere'] as const) {
        const first = inFolder('/ws/app');
        assert.ok(allows(first, first, scope), scope);
        for (const cwd of ['/ws/app/node_modules/x', '/ws/app/packages/app', '/ws/lib/app'])
          assert.ok(!allows(first, inFolder(cwd), scope), `${scope} ${cwd}`);
        assert.ok(!allows(inFolder('/ws/app/[a]'), inFolder('/ws/app/a'), scope));
        assert.ok(allows(inFolder('/ws/app/[a]'), inFolder('/ws/app/[a]'), scope));
      }
      assert.ok(!allows(inFolder('/ws/app'), inFolder('/ws/lib'), 'workspace'));
    });

    it('apply only to the shell that it was shown for', () => {
      const line = inFolder('/ws/app');
      const words = (...argv: string[]): RuleRequest => ({ ...line, command: { argv, cwd: '/ws/app' } });
      const shells = ['bash -lc', 'bash -c', 'zsh -lc', '/bin/bash -lc', 'pwsh -c'].map((shell) =>
        words(...shell.split(' '), 'npm test'),
      );
      const all = [line, ...shells];
      for (const scope of ['session', 'workspace', 'everywhere'] as const) {
        for (const answered of all)
          assert.deepEqual(
            all.filter((next) => allows(answered, next, scope)),
            [answered],
            scope,
          );
        assert.ok(allows(line, words('npm', 'test'), scope), 'no shell changes plain words');
      }
      for (const next of all) assert.equal(decisionOf(line, 'deny', next), 'deny');
    });

    it('apply “everywhere” in the same folder of every workspace', () => {
      const elsewhere = (cwd: string): RuleRequest => ({ ...inFolder(cwd), folders: ['/other'] });
      assert.ok(allows(inFolder('/ws/app'), elsewhere('/other'), 'everywhere'));
      assert.ok(!allows(inFolder('/ws/app'), elsewhere('/other/node_modules/x'), 'everywhere'));
      assert.ok(allows(inFolder('/ws/app/packages/a'), elsewhere('/other/packages/a'), 'everywhere'));
      assert.ok(!allows(inFolder('/ws/app'), elsewhere('/other'), 'workspace'));
    });

    it('apply in every folder that the line changes to, whatever other rules say', () => {
      const rules: SourcedRule[] = [
        { rule: { decision: 'allow', command: 'cd **' }, source: 'user' },
        ...rulesFromAnswer(inFolder('/ws/app'), 'allow').rules.map((rule): SourcedRule => ({
          rule,
          source: 'remembered',
        })),
      ];
      const decided = (line: string): string => decide(inFolder('/ws/app', line), rules).decision;
      assert.equal(decided('cd . && npm test'), 'allow');
      assert.equal(decided('cd node_modules/x && npm test'), 'ask');
      const both = inFolder('/ws/app', 'cd packages/a && npm test');
      assert.ok(allows(both, both, 'session'));
      assert.ok(!allows(both, inFolder('/ws/app', 'cd packages/b && npm test'), 'session'));
    });

    it('remember a line that changes its folder or writes files only whole', () => {
      const run = (line: string): RuleRequest => inFolder('/ws/app', line);
      for (const line of ['npm test', 'npm test && cd packages/a', 'cd packages/a'])
        assert.ok(!allows(run('cd packages/a && npm test'), run(line), 'session'), line);
      const writes = run('echo hi > a.md');
      assert.ok(allows(writes, writes, 'session'));
      const { command: _command, ...rest } = writes;
      assert.ok(!allows(writes, { ...rest, kind: 'edit', paths: ['/ws/app/a.md'], subject: 'other' }, 'session'));
      assert.ok(allows(run('npm run lint && npm test'), run('npm test'), 'session'));
    });

    it('apply in every folder if they deny', () => {
      const rules = rulesFromAnswer(inFolder('/ws/app'), 'deny').rules.map((rule) => ({
        rule,
        source: 'remembered' as const,
      }));
      assert.equal(decide(inFolder('/ws/app/sub'), rules).decision, 'deny');
    });
  });

  it('about a tool contain its files, and allow it with other arguments only in a scope that the user selects', () => {
    const format = (...paths: string[]): RuleRequest => ({ ...request, kind: 'edit', tool: 'refactor__format', paths });
    const other = { ...format('/ws/a.ts'), tool: 'refactor__rename' };
    for (const [decision, scope] of [
      ['allow', 'workspace'],
      ['deny', 'session'],
    ] as const) {
      const decided = (next: RuleRequest): string => decisionOf(format('/ws/a.ts'), decision, next, scope);
      assert.deepEqual([format('/ws/a.ts'), format('/ws/b.ts'), other].map(decided), [decision, 'ask', 'ask']);
    }
    const query: RuleRequest = { ...request, tool: 'db__query' };
    assert.equal(decisionOf(query, 'allow', query, 'everywhere'), 'allow');
    assert.equal(decisionOf(query, 'allow', { ...query, tool: 'db__drop' }, 'everywhere'), 'ask');
    const shown = { ...query, subject: 'a' };
    for (const [scope, decision] of [
      ['session', 'ask'],
      ['everywhere', 'allow'],
    ] as const) {
      assert.equal(decisionOf(shown, 'allow', shown, scope), 'allow');
      assert.equal(decisionOf(shown, 'allow', { ...shown, subject: 'b' }, scope), decision);
    }
  });

  it('allow a tool of the same server only, and deny it for each server of that name', () => {
    const query: RuleRequest = { ...request, tool: 'db__query', toolIdentity: 'mine' };
    const other = { ...query, toolIdentity: 'other' };
    for (const scope of ['session', 'workspace', 'everywhere'] as const) {
      assert.equal(decisionOf(query, 'allow', query, scope), 'allow');
      assert.equal(decisionOf(query, 'allow', other, scope), 'ask');
      assert.equal(decisionOf(query, 'deny', other, scope), 'deny');
    }
  });

  it('about a call with only a title allow no file and no command', () => {
    const rules = rulesFromAnswer(request, 'allow').rules.map((rule) => ({ rule, source: 'remembered' as const }));
    assert.equal(decide({ ...request, paths: ['/ws/a.ts'] }, rules).decision, 'ask');
    assert.equal(decide({ ...request, command: { line: 'rm -rf src' } }, rules).decision, 'ask');
  });
});
