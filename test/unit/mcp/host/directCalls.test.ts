import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/base/json';
import { z } from '../../../../src/mcp/contract/mcpServerSdk';
import { DirectCalls } from '../../../../src/mcp/host/directCalls';
import type { CallRequest } from '../../../../src/mcp/host/directCalls';
import { InMemoryTransport } from '../../../../src/mcp/host/inMemoryTransport';
import { createBench } from '../sample';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
};

describe('calls of tools that need no SDK', () => {
  let channel: InMemoryTransport;
  let direct: DirectCalls;
  let passedOn: string[];
  let request: CallRequest | undefined;

  beforeEach(() => {
    channel = new InMemoryTransport();
    direct = new DirectCalls(channel);
    passedOn = [];
    request = undefined;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have only this property
    direct.onmessage = (message) => {
      if (!('method' in message)) return;
      passedOn.push(message.method);
      if ('id' in message) void channel.send({ jsonrpc: '2.0', id: message.id, result: { isOfSdk: true } });
    };
    direct.open({ name: 'sample', version: '1.0.0' });
    direct.add('half', {
      input: z.object({ of: z.number() }),
      output: z.object({ half: z.number() }),
      call: async ({ of }: { of: number }, calledBy: CallRequest) => {
        request = calledBy;
        if (of === 0) return new Promise(() => {});
        if (of < 0) throw new Error('It is negative.');
        return { content: [], structuredContent: { half: of === 1 ? 'no number' : of / 2 } };
      },
    });
  });

  const call = async (params: JsonObject, signal?: AbortSignal): Promise<JsonObject> => {
    const outcome = await channel.request({ id: 'r', method: 'tools/call', params, signal });
    return 'result' in outcome ? (outcome.result as JsonObject) : {};
  };

  it('are answered, and what the SDK would refuse is left to it', async () => {
    const valid = { name: 'half', arguments: { of: 4 }, _meta: META };
    assert.deepEqual(await call(valid), {
      content: [],
      structuredContent: { half: 2 },
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'sample', version: '1.0.0' } },
    });
    assert.deepEqual(passedOn, []);
    const others: JsonObject[] = [
      { ...valid, name: 'quarter' },
      { ...valid, name: 4 },
      { ...valid, arguments: { of: 'x' } },
      { ...valid, arguments: [] },
      { ...valid, requestState: 'x' },
      { ...valid, _meta: undefined },
      { ...valid, _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-06-18' } },
      { ...valid, _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': 1 } },
      { ...valid, _meta: { ...META, 'io.modelcontextprotocol/clientInfo': 1 } },
      { ...valid, _meta: { ...META, 'io.modelcontextprotocol/logLevel': 'info' } },
    ];
    for (const params of others) assert.deepEqual(await call(params), { isOfSdk: true }, JSON.stringify(params));
    await channel.request({ id: 'r', method: 'tools/list' });
    assert.deepEqual(passedOn, [...others.map(() => 'tools/call'), 'tools/list']);
  });

  it('fail with what was thrown, and with data of another form', async () => {
    const textOf = async (of: number): Promise<unknown> => {
      const { content, isError } = await call({ name: 'half', arguments: { of }, _meta: META });
      return { isError, text: (content as { text: string }[])[0]?.text };
    };
    assert.deepEqual(await textOf(-1), { isError: true, text: 'It is negative.' });
    const text = 'Output validation error: Invalid input: expected number, received string';
    assert.deepEqual(await textOf(1), { isError: true, text });
  });

  it('are canceled by the caller, and with the connection', async () => {
    const waiting = { name: 'half', arguments: { of: 0 }, _meta: META };
    const caller = new AbortController();
    const canceled = assert.rejects(call(waiting, caller.signal));
    caller.abort();
    await canceled;
    assert.equal(request?.signal.aborted, true);
    void call(waiting);
    await channel.close();
    assert.equal(request.signal.aborted, true);
    assert.deepEqual(passedOn, []);
  });

  it('have the answers of the SDK', async () => {
    const bench = createBench();
    const [declared] = await bench.hostedServers.declareServers(bench.session, 'acp', true);
    const served = bench.hostedServers.find(String(declared?.['serverId']))!;
    const notified: unknown[] = [];
    const notify = (...told: unknown[]): void => void notified.push(told);
    // The log level is only for the SDK, which therefore answers.
    const ask = (name: string, args: object, meta: object): Promise<unknown> =>
      served.handleRequest(served.stateless, {
        id: 'r',
        method: 'tools/call',
        params: { name, arguments: args, _meta: { ...META, ...meta } },
        notify,
      });
    bench.sample.begun.event(() => setImmediate(() => bench.sample.goOn.fire()));
    const calls = { add: { a: 1, b: 2 }, fail: {}, step: {}, big: { length: 10 } };
    for (const [name, args] of Object.entries(calls)) {
      const bySdk = await ask(name, args, { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'info' });
      assert.deepEqual(await ask(name, args, { progressToken: 1 }), bySdk);
    }
    assert.equal(notified.length, 2);
    assert.deepEqual(notified[0], notified[1]);
    await bench.hostedServers.dispose();
  });
});
