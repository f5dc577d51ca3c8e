import assert from 'node:assert/strict';
import { entryAt } from '../../../src/shared/state/entryPages';
import type { PermissionEntry } from '../../../src/shared/state/toolCallState';
import { rejectAndExplain } from '../../../src/ui/pendingRequests';
import { SessionBench } from '../session/sessionBench';

/** The reason of a rejection, on the wire to the agent. */
describe('ui/pendingRequests: reject and explain', () => {
  let bench: SessionBench;
  afterEach(() => bench.close());

  async function asked(...script: string[]): Promise<PermissionEntry> {
    void bench.send(...script);
    await bench.until(({ waiting }) => waiting.length > 0);
    const entry = entryAt(bench.session.state.entries, bench.session.state.waiting[0] ?? assert.fail());
    assert(entry?.kind === 'permission');
    return entry;
  }
  const outcomes = (): unknown[] =>
    bench.received().flatMap(({ result }) => (result as { outcome?: unknown } | undefined)?.outcome ?? []);
  const methods = (): string[] => bench.received().map(({ method, result }) => JSON.stringify(method ?? result));

  for (const end of ['end_turn', 'cancelled']) {
    it(`sends the reason after a turn that ends by ${end}, before a queued message`, async () => {
      bench = await SessionBench.open();
      const { permissionId } = await asked('permission t1 allow_once:Yes reject_once:No', `stop ${end}`);
      await bench.session.send('queued before');
      assert.equal(await rejectAndExplain(bench.session, permissionId, ' use pnpm '), true);
      await bench.until(({ turns }) => turns.length > 1);
      assert.deepEqual(outcomes(), [{ outcome: 'selected', optionId: 'reject_once' }]);
      const prompts = bench.received().filter(({ method }) => method === 'session/prompt');
      assert.match(JSON.stringify(prompts[1]), /"text":"use pnpm"/, end);
    });
  }

  it('sends the reason into the turn of an agent that takes messages there, after the answer', async () => {
    bench = await SessionBench.open({ env: { FAKE_STEERING: 'injected' } });
    const { permissionId } = await asked('permission t1 allow_once:Yes reject_once:No', 'until-cancel');
    await rejectAndExplain(bench.session, permissionId, 'use pnpm');
    await bench.until(() => methods().includes('"_session/steering"'));
    const [answer, steering] = methods().slice(-2);
    assert.match(answer ?? '', /reject_once/);
    assert.equal(steering, '"_session/steering"');
    bench.session.turn.stop();
    await bench.until(({ turn }) => turn.status === 'idle');
  });

  it('rejects always, or cancels, where the agent offers nothing else; without a reason nothing is sent', async () => {
    bench = await SessionBench.open();
    const none = await asked('permission t1 allow_once:Yes');
    await rejectAndExplain(bench.session, none.permissionId, '  ');
    await bench.until(({ turn }) => turn.status === 'idle');
    const always = await asked('permission t1 allow_once:Yes reject_always:Never');
    await rejectAndExplain(bench.session, always.permissionId, '');
    await bench.until(({ turns }) => turns.length === 2);
    assert.deepEqual(outcomes(), [{ outcome: 'cancelled' }, { outcome: 'selected', optionId: 'reject_always' }]);
    assert.equal(await rejectAndExplain(bench.session, always.permissionId, 'again'), false);
    assert.equal(bench.received().filter(({ method }) => method === 'session/prompt').length, 2);
  });
});
