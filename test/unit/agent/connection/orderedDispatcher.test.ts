import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OrderedDispatcher } from '../../../../src/agent/connection/orderedDispatcher';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';

describe('the queue of the messages of an agent', () => {
  const applied: unknown[] = [];
  const sent: JsonObject[] = [];

  function create(): OrderedDispatcher {
    applied.length = 0;
    sent.length = 0;
    return new OrderedDispatcher(nullLogger, new Map(), {
      onUpdate: (_sessionId, { at }) => {
        work();
        applied.push(at);
      },
      forward: () => undefined,
      handle: () => Promise.resolve({ result: null }),
      send: (message) => void sent.push(message),
    });
  }

  function work(): void {
    const until = performance.now() + 2;
    while (performance.now() < until);
  }

  const update = (at: number): JsonObject => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: 'x', at } },
  });

  it('lets the window work in between, and keeps the order', async () => {
    const dispatcher = create();
    for (let at = 0; at < 100; at++) dispatcher.receive(update(at));
    assert.ok(applied.length > 0 && applied.length < 30, `${applied.length} in the first turn`);
    for (let count = 0; count < 100; count++) {
      const before = applied.length;
      await nextTurn();
      assert.ok(applied.length - before < 30, `${applied.length - before} in one turn`);
    }
    await dispatcher.whenIdle();
    assert.deepEqual(
      applied,
      Array.from({ length: 100 }, (_, at) => at),
    );
  });

  it('stops between turns when it is closed', async () => {
    const dispatcher = create();
    for (let at = 0; at < 100; at++) dispatcher.receive(update(at));
    const first = applied.length;
    dispatcher.close();
    await dispatcher.whenIdle();
    await nextTurn();
    assert.equal(applied.length, first);
  });

  it('answers an unknown method of any length with a short error', () => {
    const dispatcher = create();
    dispatcher.receive({ jsonrpc: '2.0', id: 1, method: 'm'.repeat(10_000_000) });
    assert.equal(sent.length, 1);
    assert.ok(JSON.stringify(sent).length < 3_000);
  });
});
