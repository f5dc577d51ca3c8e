import { commands, picks, resetStub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { RememberedRules } from '../../../../src/permissions/rememberedRules';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import { RulesPicker } from '../../../../src/ui/permissions/rulesPicker';
import type { Permissions } from '../../../../src/ui/window';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession, FakeSessions } from '../fakes';

describe('ui/permissions/rulesPicker', () => {
  beforeEach(resetStub);

  function setUp(user: readonly Rule[] = [], workspace: readonly Rule[] = []) {
    const [one, two] = [new FakeSession('one'), new FakeSession('two')];
    two.dispatch({ type: 'sessionRenamed', title: 'Clean up' });
    const remembered = new RememberedRules({
      workspace: new MemoryMemento(),
      everywhere: new MemoryMemento(),
      now: () => 1,
    });
    const sessions = new FakeSessions([one, two]);
    return {
      remembered,
      list: new RulesPicker(stubOf<Permissions>({ remembered, rules: () => ({ user, workspace }) }), sessions),
    };
  }

  it('lists rules by origin, and marks those without effect', async () => {
    const { remembered, list } = setUp(
      [{ decision: 'allow', command: 'npm test' }],
      [
        { decision: 'allow', command: 'make' },
        { decision: 'deny', path: '**/.env' },
      ],
    );
    await remembered.add({ decision: 'allow', command: 'ls', agent: 'fake' }, 'session', 'two');
    await remembered.add({ decision: 'deny', title: 'Read $(check)' }, 'session', 'one');
    await remembered.add({ decision: 'allow', command: 'git status' }, 'everywhere', 'one');
    const shown = list.show();
    assert.deepEqual(picks[0]?.rows, [
      '— Remembered for this session',
      '$(check) Allow | command ls, agent fake | In Clean up',
      '$(close) Deny | title Read $\u2060(check)',
      '— Remembered everywhere',
      '$(check) Allow | command git status',
      '— User settings',
      '$(check) Allow | command npm test',
      '— Workspace settings',
      '$(check) Allow | command make | $(warning) Ignored: workspace rules can only ask or deny. Move this rule to your user settings.',
      '$(close) Deny | files **/.env',
      '— ',
      '$(add) Add Rule…',
      '$(gear) Edit Rules in Settings… | parley.permissions.rules',
    ]);
    picks[0].hide();
    await shown;
  });

  it('removes a remembered rule by its button, and is updated after changes', async () => {
    const { remembered, list } = setUp();
    await remembered.add({ decision: 'allow', command: 'git status' }, 'everywhere', 'one');
    const shown = list.show();
    await picks[0]?.press?.('command git status');
    assert.deepEqual(remembered.list(), []);
    assert.deepEqual(picks[0]?.rows, [
      '— ',
      '$(add) Add Rule…',
      '$(gear) Edit Rules in Settings… | parley.permissions.rules',
    ]);
    await remembered.add({ decision: 'deny', command: 'rm **' }, 'workspace', 'one');
    assert.equal(picks[0].rows[0], '— Remembered for this workspace');
    picks[0].hide();
    await shown;
  });

  it('opens the settings', async () => {
    const { list } = setUp([], [{ decision: 'deny', path: '**/.env' }]);
    const shown = list.show();
    picks[0]?.accept('$(close) Deny');
    await shown;
    assert.deepEqual(commands, ['workbench.action.openWorkspaceSettings']);
  });

  it('reports a rule that cannot be removed', async () => {
    const remembered = new RememberedRules({
      workspace: new MemoryMemento(),
      everywhere: new MemoryMemento(),
      now: () => 1,
    });
    await remembered.add({ decision: 'allow', command: 'ls' }, 'session', 'one');
    const failing = Object.assign(Object.create(remembered) as RememberedRules, {
      list: () => remembered.list(),
      remove: () => Promise.reject(new Error('no space left on device')),
      onDidChange: remembered.onDidChange,
    });
    const sessions = new FakeSessions([new FakeSession('one')]);
    const permissions = stubOf<Permissions>({ remembered: failing, rules: () => ({ user: [], workspace: [] }) });
    const list = new RulesPicker(permissions, sessions);
    const shown = list.show();
    await picks[0]?.press?.('command ls');
    assert.match(toasts[0]?.message ?? '', /Could not remove the rule: no space left/);
    picks[0]?.hide();
    await shown;
  });
});
