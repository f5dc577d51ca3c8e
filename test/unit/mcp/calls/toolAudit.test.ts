import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import type { CallTransport } from '../../../../src/mcp/calls/callGate';
import type { Tool } from '../../../../src/mcp/contract/toolServerTypes';
import { InMemoryTransport } from '../../../../src/mcp/host/inMemoryTransport';
import type { AuthorizationResult } from '../../../../src/session/sessionHandle';
import { settled } from '../../../kit/waiting';
import { GateBench, registered } from './gateBench';

/** Audit records of tool calls (tool-servers: rules, audit). */
describe('mcp: the audit record of a call', () => {
  const done = { text: 'done' };
  const toolOf = (more: Partial<Tool> = {}): Tool =>
    ({ name: 'do', title: 'Do it', annotations: {}, approval: 'policy', call: async () => done, ...more }) as Tool;
  let bench: GateBench;
  beforeEach(() => (bench = new GateBench()));

  it('contains why it ran: no approval needed, a rule, an earlier approval, or the user', async () => {
    await bench.call(toolOf({ approval: 'free' }));
    for (const said of [
      { by: 'rule', reason: 'allowed by your rule “tool sample__*”' },
      { by: 'session', reason: 'you allowed this action for this session' },
      { by: 'person', reason: 'the user allowed it' },
    ] as const) {
      const call = bench.call(toolOf());
      await settled();
      const answer: AuthorizationResult = { allowed: true, ...said };
      bench.answers.shift()?.resolve(answer);
      assert.deepEqual(await call, done);
    }
    assert.deepEqual(
      bench.audit.map(({ by, reason }) => [by, reason]),
      [
        ['builtIn', 'this tool requires no approval'],
        ['rule', 'allowed by your rule “tool sample__*”'],
        ['session', 'you allowed this action for this session'],
        ['person', 'the user allowed it'],
      ],
    );
  });

  it('is left to the decision where a rule denies, also of a tool that only reads', async () => {
    bench.judgement = 'deny';
    for (const more of [{ approval: 'free' }, { asksItself: true }] as const) {
      const call = bench.call(toolOf(more));
      await settled();
      // The policy records what it denies.
      assert.equal(bench.questions.shift()?.tool, 'sample__do');
      bench.answer(false);
      assert.match((await call).text, /was not allowed: the user rejected it/);
    }
    assert.deepEqual(bench.audit, []);
  });

  it('contains the transport time of the call and its result, without the time of tool and user', async () => {
    const answered = createDeferred<number>();
    const transport: CallTransport = { arrivedAt: performance.now() - 40, answeredAt: answered.promise };
    const result = await bench.gate.call({
      session: bench.session(),
      registered: registered(toolOf({ approval: 'free' })),
      tool: toolOf({ approval: 'free' }),
      input: {},
      signal: new AbortController().signal,
      progress: () => undefined,
      transport,
    });
    assert.deepEqual(result, done);
    assert.deepEqual(bench.audit, [], 'the answer has not left yet');
    answered.resolve(performance.now() + 60);
    await settled();
    const [entry] = bench.audit;
    const { transportMs = 0, toolMs } = entry ?? assert.fail('no record');
    assert.ok(transportMs >= 100 && transportMs < 1_000, String(transportMs));
    assert.equal(toolMs, 0);
  });

  it('gets the time of the result from the channel, also after the caller has disconnected', async () => {
    const channel = new InMemoryTransport();
    const ids: unknown[] = [];
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have only this property
    channel.onmessage = (message) => {
      if ('id' in message) ids.push(message.id);
    };
    const abort = new AbortController();
    const arrivedAt = performance.now() - 10;
    const first = channel.request({ id: 'a', method: 'ping', arrivedAt });
    const second = channel.request({ id: 'b', method: 'ping', signal: abort.signal });
    const third = channel.request({ id: 'c', method: 'ping' });
    const ways = ids.map((id) => channel.transport(id as number));
    assert.equal(ways[0]?.arrivedAt, arrivedAt);
    await channel.send({ jsonrpc: '2.0', id: ids[0] as number, result: {} });
    abort.abort();
    await channel.close();
    await Promise.allSettled([first, second, third]);
    for (const way of ways) assert.ok(((await way?.answeredAt) ?? 0) >= arrivedAt);
    assert.equal(channel.transport(99), undefined);
  });
});
