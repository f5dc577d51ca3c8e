import assert from 'node:assert/strict';
import { parseSseStream } from '@a2a-js/sdk';
import { asObject } from '../../../../src/base/json';
import type { JsonObject } from '../../../../src/base/json';
import type { GatewayBench } from '../../../a2a/bench';
import { startGateway } from '../../../a2a/bench';

const SESSION = 'mcp+session://session-1/sample';
const ADD = {
  mcp_target_url: SESSION,
  mcp_method: 'tools/call',
  mcp_params: { name: 'add', arguments: { a: 2, b: 3 } },
};
const WAIT = { mcp_target_url: SESSION, mcp_method: 'tools/call', mcp_params: { name: 'wait', arguments: {} } };

describe('The A2A gateway and clients of A2A before 1.0', () => {
  let bench: GatewayBench;

  beforeEach(async () => {
    bench = await startGateway();
  });
  afterEach(() => bench.stop());

  const send = (method: string, params: object): Promise<Response> =>
    fetch(bench.address.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.address.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const call = async (method: string, params: object): Promise<JsonObject> =>
    (await (await send(method, params)).json()) as JsonObject;
  const result = async (method: string, params: object): Promise<JsonObject> => {
    const answer = await call(method, params);
    assert.ok(answer['result'], JSON.stringify(answer));
    return answer['result'] as JsonObject;
  };
  const stateOf = ({ status }: JsonObject): unknown => asObject(status)?.['state'];
  const sumOf = (task: JsonObject): unknown => {
    const [artifact] = task['artifacts'] as { parts: { data: { mcp_result: { structuredContent: unknown } } }[] }[];
    return artifact?.parts[0]?.data.mcp_result.structuredContent;
  };
  const message = (data: object): object => ({
    message: { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'data', data }] },
  });

  it('finds its card where they look, with the URL for requests', async () => {
    for (const [path, version, isLegacy] of [
      ['.well-known/agent.json', undefined, true],
      ['.well-known/agent-card.json', undefined, true],
      ['.well-known/agent-card.json', '0.3', true],
      ['.well-known/agent-card.json', '1.0', false],
    ] as const) {
      const headers = { authorization: `Bearer ${bench.address.token}`, ...(version && { 'a2a-version': version }) };
      const card = (await (await fetch(`${bench.address.url}${path}`, { headers })).json()) as JsonObject;
      assert.equal(card['url'], isLegacy ? bench.address.url : undefined, path);
      assert.equal(card['protocolVersion'], isLegacy ? '0.3.0' : undefined);
      assert.deepEqual(
        (card['supportedInterfaces'] as JsonObject[]).map(({ protocolVersion }) => protocolVersion),
        ['1.0', '0.3'],
      );
    }
    assert.equal((await fetch(`${bench.address.url}.well-known/agent.json`)).status, 401);
  });

  it('runs a command of 0.3, and returns its task', async () => {
    const task = await result('message/send', message(ADD));
    assert.deepEqual([task['kind'], stateOf(task), sumOf(task)], ['task', 'completed', { sum: 5 }]);
    const again = await result('tasks/get', { id: task['id'] });
    assert.deepEqual(again['artifacts'], task['artifacts']);
    assert.equal(
      asObject((await call('message/send', message({ mcp_method: 'tools/list' })))['error'])?.['code'],
      -32602,
    );
    assert.equal(asObject((await call('tasks/get', { id: 'nobody' }))['error'])?.['code'], -32001);
    assert.equal(asObject((await call('tasks/other', {}))['error'])?.['code'], -32601);
  });

  it('streams a command of 0.3', async () => {
    const kinds: unknown[] = [];
    for await (const { data } of parseSseStream(await send('message/stream', message(ADD))))
      kinds.push((JSON.parse(data) as { result: JsonObject }).result['kind']);
    assert.deepEqual(kinds, ['task', 'status-update', 'artifact-update', 'status-update']);
  });

  const first = (id: string, data: object): object => ({
    id,
    sessionId: 's1',
    message: { role: 'user', parts: [{ type: 'data', data }] },
  });

  it('runs a command of the first A2A under the id that its client chose', async () => {
    const task = await result('tasks/send', first('mine', ADD));
    assert.deepEqual([task['id'], task['sessionId'], stateOf(task)], ['mine', 's1', 'completed']);
    assert.deepEqual(sumOf(task), { sum: 5 });
    const [artifact] = task['artifacts'] as { index: unknown; parts: { type: unknown }[] }[];
    assert.deepEqual([artifact?.index, artifact?.parts[0]?.type], [0, 'data']);
    assert.deepEqual((await result('tasks/get', { id: 'mine' }))['artifacts'], task['artifacts']);
    const twice = await call('tasks/send', first('mine', ADD));
    assert.match(String(asObject(twice['error'])?.['message']), /choose a new id/);
    assert.equal(asObject((await call('tasks/send', { id: 'other' }))['error'])?.['code'], -32602);
  });

  it('streams and cancels a command of the first A2A', async () => {
    const begun = new Promise<AbortSignal>((resolve) => bench.sample.begun.event(resolve));
    const events = parseSseStream(await send('tasks/sendSubscribe', first('mine', WAIT)));
    const signal = await begun;
    const canceled = await result('tasks/cancel', { id: 'mine' });
    assert.deepEqual([canceled['id'], stateOf(canceled), signal.aborted], ['mine', 'canceled', true]);
    const seen: unknown[] = [];
    for await (const { data } of events) {
      const event = (JSON.parse(data) as { result: JsonObject }).result;
      seen.push([event['id'], stateOf(event), event['final'] === true]);
    }
    assert.deepEqual(seen.at(-1), ['mine', 'canceled', true]);
  });
});
