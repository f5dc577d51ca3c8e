import assert from 'node:assert/strict';
import type { PermissionPolicy } from '../../../src/permissions/permissionPolicy';
import { RememberedRules } from '../../../src/permissions/rememberedRules';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { PermissionEntry } from '../../../src/shared/state/toolCallState';
import { MemoryMemento } from '../../kit/memoryMemento';
import { SessionBench } from '../session/sessionBench';
import { emptyPolicy } from './emptyPolicy';

const ASK = [
  'tool t1 execute Test',
  'fields t1 {"rawInput": {"command": "npm test"}}',
  'permission t1 allow_once:Once allow_always:Always reject_once:No',
];

describe('the answer "always"', function () {
  let bench: SessionBench;
  let policy: PermissionPolicy;

  beforeEach(async () => {
    const memories = { workspace: new MemoryMemento(), everywhere: new MemoryMemento() };
    const remembered = new RememberedRules({ ...memories, now: () => Date.now() });
    policy = { ...emptyPolicy(), remembered };
    bench = await SessionBench.open({ sessions: { policy } });
  });
  afterEach(async () => bench.close());

  const permissions = (): PermissionEntry[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'permission' ? [entry] : [],
    );

  async function answerAlways(): Promise<PermissionEntry> {
    const turn = bench.send(...ASK, ...ASK);
    await bench.until(({ waiting }) => waiting.length === 1);
    const [asked] = permissions();
    assert.ok(asked);
    bench.session.userRequests.answer(asked.permissionId, 'allow_always');
    await bench.until(() => permissions()[0]?.remembered !== undefined);
    await turn;
    return asked;
  }

  it('is stored for the session, decides later requests with a reason, and can get a larger scope', async () => {
    const { permissionId } = await answerAlways();
    const [first, second] = permissions();
    assert.equal(first?.remembered?.scope, 'session');
    assert.match(first.remembered.rules.join(), /^command npm test, in folder /);
    assert.ok(second?.outcome?.type === 'selected');
    assert.equal(second.outcome.optionId, 'allow_once', 'the agent is not told more than this once');
    assert.equal(second.outcome.by, 'rule');
    assert.match(second.outcome.reason ?? '', /allow/);
    await bench.session.userRequests.alwaysRules.saveRule(permissionId, 'workspace');
    assert.equal(permissions()[0]?.remembered?.scope, 'workspace');
    assert.deepEqual(
      policy.remembered.list().map(({ scope }) => scope),
      ['workspace'],
    );
  });

  it('is shown as expired after a reload if it was for the session, without other scopes', async () => {
    await answerAlways();
    const { folder } = bench;
    await bench.closeWindow();
    bench = await SessionBench.open({ folder, sessions: { policy } });
    const { remembered } = permissions()[0] ?? {};
    assert.deepEqual(remembered, {
      scope: 'session',
      rules: [],
      note: 'This answer was remembered until the window was closed.',
      past: true,
    });
  });
});
