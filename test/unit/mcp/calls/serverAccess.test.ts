import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/base/json';
import type { AccessRequest } from '../../../../src/mcp/calls/callGate';
import { settled } from '../../../kit/waiting';
import { GateBench, registered, toolOf } from './gateBench';

/** Requests for resources, prompts and completion: decided by rules, limited and recorded like calls of tools. */
describe('mcp: a request for a resource or prompt', () => {
  let bench: GateBench;
  beforeEach(() => (bench = new GateBench()));

  const subject = 'resource:file:///app/a.txt';
  const id = `sample__${subject}`;

  function access(more: Partial<AccessRequest> = {}, run = async (): Promise<JsonObject> => ({ contents: [] })) {
    const origin = { ...registered(toolOf(() => ({ text: '' }))), origin: 'person' as const };
    const { signal } = new AbortController();
    const input = { uri: 'file:///app/a.txt' };
    return bench.gate.access({ session: bench.session(), registered: origin, subject, input, signal, ...more }, run);
  }

  it('is allowed without a rule, as for a tool that only reads, and recorded', async () => {
    const ended: string[] = [];
    bench.gate.onDidEnd((call) => ended.push(`${call.id} ${call.isError}`));
    assert.deepEqual(await access(), { contents: [] });
    const [judged] = bench.judged;
    assert.deepEqual([judged?.tool, judged?.kind, judged?.otherwise], [id, 'read', 'allow']);
    assert.match(judged?.toolIdentity ?? '', /^[0-9a-f]{64}$/);
    const [record] = bench.audit;
    const { tool, decision, by, reason, outcome, agent, arguments: input } = record ?? assert.fail('no record');
    assert.deepEqual(
      { tool, decision, by, reason, outcome, agent, input },
      {
        tool: id,
        decision: 'allowed',
        by: 'rule',
        reason: 'a test',
        outcome: 'done',
        agent: 'agent',
        input: { uri: 'file:///app/a.txt' },
      },
    );
    assert.deepEqual(ended, [`${id} false`]);
  });

  it('asks where a rule asks, and does not reach the server if the user rejects it', async () => {
    bench.judgement = 'ask';
    let isReached = false;
    const asked = access({}, async () => ({ isReached: (isReached = true) }));
    await settled();
    assert.equal(bench.questions[0]?.tool, id);
    bench.answer(false);
    await assert.rejects(asked, /was not allowed: the user rejected it/);
    assert.equal(isReached, false);
    const again = access();
    await settled();
    bench.answer();
    await again;
    assert.deepEqual(
      bench.audit.map(({ by }) => by),
      ['person'],
    );
  });

  it('of the user is stopped only by a rule that denies', async () => {
    bench.judgement = 'ask';
    await access({ isOfUser: true });
    assert.deepEqual([bench.questions.length, bench.audit[0]?.by], [0, 'person']);
    bench.judgement = 'deny';
    const denied = access({ isOfUser: true });
    await settled();
    bench.answer(false);
    await assert.rejects(denied, /was not allowed/);
  });

  it('is refused for a server that is not offered, and over the limit of a second', async () => {
    bench.rules = { ...bench.rules, isOn: () => false };
    await assert.rejects(access(), /not found/);
    bench.rules = { ...bench.rules, isOn: () => true };
    for (let count = 0; count < 20; count++) await access();
    await assert.rejects(access(), /20 requests a second/);
    assert.equal(bench.audit.length, 20);
  });

  it('that fails is recorded as failed', async () => {
    await assert.rejects(
      access({}, () => Promise.reject(new Error('gone'))),
      /gone/,
    );
    assert.equal(bench.audit[0]?.outcome, 'error');
  });
});
