import { inputs, picks, resetStub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { RememberedRule, RuleStore } from '../../../../src/permissions/rememberedRules';
import { ruleEngine } from '../../../../src/permissions/ruleEngine';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import type { RuleRequest } from '../../../../src/permissions/rules/ruleRequest';
import { toRuleRequest } from '../../../../src/permissions/toolCallRequest';
import { AddRule } from '../../../../src/ui/permissions/addRule';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';
import { FakeSession } from '../fakes';

describe('ui/permissions/addRule', () => {
  const added: unknown[][] = [];
  const notices: (string | undefined)[] = [];

  beforeEach(() => {
    resetStub();
    added.length = 0;
    notices.length = 0;
  });

  const allowOnce = { optionId: 'a', name: 'Allow', kind: 'allow_once' } as const;
  const rejectOnce = { optionId: 'r', name: 'Reject', kind: 'reject_once' } as const;

  const remembered = stubOf<RuleStore>({
    add: async (...given) => {
      added.push(given);
      return stubOf<RememberedRule>({});
    },
  });

  function setUp(commands: readonly string[], session = new FakeSession('one')): AddRule {
    for (const command of commands) session.ask([allowOnce, rejectOnce], { title: command, rawInput: { command } });
    return new AddRule(remembered, { active: session }, (notice, id) => void notices.push(`${id}: ${notice?.text}`));
  }

  it('creates a rule from an entered pattern, and shows what it would have decided in this session', async () => {
    const done = setUp(['ls -l', 'ls src', 'make']).show();
    picks[0]?.accept('$(check) Allow');
    await settled();
    picks[1]?.accept('$(terminal) Command…');
    await settled();
    const [box] = inputs;
    const shown = (text: string): unknown => box?.options.validateInput?.(text);
    assert.deepEqual(shown('ls **'), {
      message: 'Matches 2 of 3 tool calls in this session: ls -l, ls src',
      severity: 1,
    });
    assert.match(String(shown('** ls')), /must be the last word/);
    assert.equal(shown(''), undefined);
    box?.accept('ls **');
    await settled();
    assert.equal(picks[2]?.title, 'Allow: command ls **');
    picks[2].accept('Workspace');
    await done;
    const rule: Rule = { decision: 'allow', command: 'ls **' };
    assert.deepEqual(added, [[rule, 'workspace', 'one']]);
    assert.deepEqual([notices, toasts], [['one: Rule added. Allow: command ls **'], []]);
  });

  it('offers allowing rules for the tools that entries of MCP servers allow', async () => {
    const done = setUp([]).show(['docs__search', 'docs__*']);
    picks[0]?.accept('$(check) Allow');
    await settled();
    assert.deepEqual(picks[1]?.labels.slice(-3), ['From Entries of MCP Servers', 'tool docs__search', 'tool docs__*']);
    picks[1]?.accept('tool docs__search');
    await settled();
    picks[2]?.accept('Everywhere');
    await done;
    assert.deepEqual(added, [[{ decision: 'allow', tool: 'docs__search' }, 'everywhere', 'one']]);
    void setUp([]).show(['docs__search']);
    picks.at(-1)?.accept('$(close) Deny');
    await settled();
    assert.ok(!picks.at(-1)?.labels.includes('tool docs__search'));
  });

  it('stays about the session of its preview when another one is selected meanwhile', async () => {
    const sessions = { active: new FakeSession('one') };
    const done = new AddRule(remembered, sessions, () => undefined).show();
    picks[0]?.accept('$(check) Allow');
    await settled();
    picks[1]?.accept('$(terminal) Command…');
    await settled();
    sessions.active = new FakeSession('two');
    inputs[0]?.accept('npm **');
    await settled();
    picks[2]?.accept('Session');
    await done;
    assert.deepEqual(added, [[{ decision: 'allow', command: 'npm **' }, 'session', 'one']]);
  });

  it('suggests rules for the tool calls of this session, the newest first', async () => {
    const done = setUp(['npm test', 'npm test', 'git push']).show();
    picks[0]?.accept('$(close) Deny');
    await settled();
    const suggested = picks[1]?.labels.slice(5) ?? [];
    assert.deepEqual(suggested, ['command git push, kind execute', 'command npm test, kind execute']);
    picks[1]?.accept(suggested[0] ?? '');
    await settled();
    assert.equal(picks[2]?.placeholder, 'Matches 1 of 3 tool calls in this session: git push');
    picks[2].hide();
    await done;
    assert.deepEqual(added, []);
  });

  it('does not count requests that a rule would not allow', async () => {
    const done = setUp(['cat .env', 'sudo make']).show();
    picks[0]?.accept('$(check) Allow');
    await settled();
    picks[1]?.accept('$(terminal) Command…');
    await settled();
    const shown = inputs[0]?.options.validateInput?.('cat **') as { message: string };
    assert.equal(shown.message, 'Matches 0 of 2 tool calls in this session');
    inputs[0]?.accept(undefined);
    await done;
    assert.deepEqual(added, []);
  });

  describe('from an answered request', () => {
    /** The session's request ids contain the entry of the tool call. */
    const lastOf = (commands: readonly string[]): string => `p${commands.length * 2 - 1}`;

    /** "Remember…" on the last of these commands. */
    function answered(commands: readonly string[], option: 'a' | 'r' = 'a'): Promise<void> {
      const session = new FakeSession('one');
      const rule = setUp(commands, session);
      const id = lastOf(commands);
      session.userRequests.answer(id, option);
      session.answered.set(id, requestOf(commands.at(-1) ?? ''));
      return rule.remember(id);
    }

    const requestOf = (command: string): RuleRequest =>
      toRuleRequest(
        ruleEngine,
        { title: command, tool: 'other', content: [], locations: [], rawInput: { command } },
        command,
        { agent: 'fake', cwd: '/work space', folders: ['/work space'], confined: undefined },
      );

    it('builds rules for the request as it was answered, not for the call as the agent has changed it', async () => {
      const session = new FakeSession('one');
      const rule = setUp(['npm test'], session);
      const id = lastOf(['npm test']);
      session.userRequests.answer(id, 'a');
      session.answered.set(id, requestOf('npm test'));
      session.dispatch({ type: 'toolChanged', entry: 1, patch: { rawInput: { command: 'npm publish' } }, at: 5 });
      const done = rule.remember(id);
      await settled();
      assert.match(picks[0]?.labels[0] ?? '', /^command npm test, /);
      picks[0]?.hide();
      await done;

      session.answered.clear();
      const later = rule.remember(id);
      await settled();
      assert.equal(picks[1]?.labels[0], 'Other Rule', 'after a reload nobody knows what was shown');
      picks[1].hide();
      await later;
    });

    it('offers an exact rule first, then broader ones, with what each would have decided', async () => {
      const done = answered(['git log -3', 'make', 'git log --oneline']);
      await settled();
      assert.equal(picks[0]?.title, 'Remember: Allow');
      assert.deepEqual(picks[0].labels.slice(0, 4), [
        'command git log --oneline, in folder /work space, kind execute, agent fake',
        'command git log --oneline **, in folder /work space, kind execute, agent fake',
        'command git log **, in folder /work space, kind execute, agent fake',
        'Other Rule',
      ]);
      picks[0].accept(picks[0].labels[2] ?? '');
      await settled();
      assert.equal(picks[1]?.placeholder, 'Matches 2 of 3 tool calls in this session: git log -3, git log --oneline');
      picks[1].accept('Workspace');
      await done;
      const [[rule] = []] = added;
      assert.deepEqual((rule as Rule).command, ['git', 'log', '**']);
      assert.equal((rule as Rule).decision, 'allow');
    });

    it('creates deny rules after a rejection, for every command of a chain', async () => {
      const done = answered(['make && make install'], 'r');
      await settled();
      assert.equal(picks[0]?.title, 'Remember: Deny');
      picks[0].accept(picks[0].labels[0] ?? '');
      await settled();
      picks[1]?.accept('Session');
      await done;
      assert.deepEqual(
        added.map(([rule]) => (rule as Rule).command),
        [['make'], ['make', 'install']],
      );
    });

    it('shows and stores for each scope what its rules cover', async () => {
      const session = new FakeSession('one');
      const rule = setUp(['write'], session);
      const id = lastOf(['write']);
      session.userRequests.answer(id, 'a');
      const content = [
        {
          type: 'diff',
          diffId: 'd',
          path: '/work space/a.md',
          label: 'a.md',
          isNew: false,
          added: 1,
          removed: 1,
          hunks: [],
        },
      ] as const;
      const tool = { title: 'Save', tool: 'edit', content, locations: [] } as const;
      const context = { agent: 'fake', cwd: '/work space', folders: ['/work space'], confined: undefined };
      session.answered.set(id, toRuleRequest(ruleEngine, tool, 'Save', context));
      const done = rule.remember(id);
      await settled();
      picks[0]?.accept(picks[0].labels[0] ?? '');
      await settled();
      const exact = 'Allow: files /work space/a.md, kind edit, agent fake, only with the same arguments and content';
      const wide = 'Allow: files /work space/a.md, kind edit, agent fake';
      assert.deepEqual([picks[1]?.title, picks[1]?.details], ['Add Rule', [exact, wide, wide]]);
      picks[1]?.accept('Workspace');
      await done;
      assert.deepEqual(notices, [`one: Rule added. ${wide}`]);
      const [[stored] = []] = added;
      assert.deepEqual(stored, { decision: 'allow', kind: 'edit', path: '/work space/a.md', agent: 'fake' });
    });

    it('explains why there is no rule, and accepts an entered one', async () => {
      const done = answered(['sudo $(cat x)']);
      await settled();
      assert.match(picks[0]?.placeholder ?? '', /^No rule was created: /);
      assert.equal(picks[0]?.labels[0], 'Other Rule');
      picks[0].hide();
      await done;
      assert.deepEqual(added, []);
    });

    it('does nothing for an unknown or unanswered request', async () => {
      const session = new FakeSession('one');
      const rule = setUp(['ls'], session);
      await rule.remember('nobody');
      await rule.remember(lastOf(['ls']));
      assert.equal(picks.length, 0);
    });
  });
});
