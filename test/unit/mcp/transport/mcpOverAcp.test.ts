import assert from 'node:assert/strict';
import { agent, client, McpOverAcpCaller, methods } from '@agentclientprotocol/sdk/unstable';
import type { JsonObject } from '../../../../src/base/json';
import { RpcError } from '../../../../src/base/jsonRpc';
import type { HostedServer } from '../../../../src/mcp/host/hostedServer';
import { MAX_ACTIVE, MAX_CONNECTIONS, MAX_REQUEST } from '../../../../src/mcp/host/hostedServer';
import { McpOverAcp } from '../../../../src/mcp/transport/mcpOverAcp';
import { stubOf } from '../../../kit/stubOf';
import type { Bench } from '../sample';
import { createBench, fakeSession, sampleServer } from '../sample';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Wire {
  readonly notified: JsonObject[];
  readonly call: (method: string, params: object, signal?: AbortSignal) => Promise<unknown>;
}

/**
 * The feature as an agent's connection calls it.
 * @param told The servers that were declared to the agent.
 */
function wireOf(bench: Bench, told: readonly string[]): Wire & { readonly feature: McpOverAcp } {
  const notified: JsonObject[] = [];
  const feature = new McpOverAcp({
    find: (id) => (told.includes(id) ? bench.hostedServers.find(id) : undefined),
    notify: (_method, params) => notified.push(params),
  });
  const call: Wire['call'] = async (method, params, signal = new AbortController().signal) => {
    const handler = feature.handlers.find((one) => one.method === method)!;
    return handler.handle(handler.parse(params), { signal });
  };
  return { feature, notified, call };
}

async function refused(answer: Promise<unknown>): Promise<{ code: number; data: unknown }> {
  const error: unknown = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RpcError, 'it was answered, or failed otherwise');
  return { code: error.code, data: error.data };
}

describe('MCP over ACP on the wire', () => {
  let bench: Bench;
  let serverId: string;

  beforeEach(async () => {
    bench = createBench();
    const [declared] = await bench.hostedServers.declareServers(bench.session, 'acp', true);
    serverId = String(declared?.['serverId']);
  });

  afterEach(() => bench.hostedServers.dispose());

  it('declares a server with its id in two fields, or in one for agents that reject the other', async () => {
    const declare = (twin: boolean): Promise<readonly JsonObject[]> =>
      bench.hostedServers.declareServers(bench.session, 'acp', twin);
    assert.deepEqual(await declare(true), [{ type: 'acp', name: 'sample', serverId, id: serverId }]);
    assert.deepEqual(await declare(false), [{ type: 'acp', name: 'sample', serverId }]);
  });

  it('returns answers and errors without a connection inside a successful response', async () => {
    const { call } = wireOf(bench, [serverId]);
    const message = (method: string, params: object): object => ({ serverId, requestId: 'r1', method, params });
    const sum = { name: 'add', arguments: { a: 1, b: 2 }, _meta: META };
    const answer = (await call('mcp/message', message('tools/call', sum))) as { result: JsonObject };
    assert.deepEqual(answer.result['structuredContent'], { sum: 3 });
    const unknown = (await call('mcp/message', message('no/such', { _meta: META }))) as { error: { code: number } };
    assert.equal(unknown.error.code, -32601);
    const bare = (await call('mcp/message', message('tools/list', {}))) as { error: { code: number } };
    assert.equal(bare.error.code, -32602);
    const old = { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-06-18' };
    const outdated = (await call('mcp/message', message('tools/list', { _meta: old }))) as { error: JsonObject };
    assert.deepEqual(outdated.error['data'], { supported: ['2026-07-28'], requested: '2025-06-18' });
    assert.equal(outdated.error['code'], -32022);
  });

  it('rejects invalid requests with the error codes of MCP over ACP', async () => {
    const { call } = wireOf(bench, [serverId]);
    const wait = { name: 'wait', arguments: {}, _meta: META };
    assert.equal(
      (await refused(call('mcp/message', { serverId: 'other', requestId: 'r', method: 'tools/list' }))).code,
      -33001,
    );
    assert.equal((await refused(call('mcp/message', { method: 'tools/list' }))).code, -32602);
    assert.equal((await refused(call('mcp/message', { serverId, requestId: 'r', method: 1 }))).code, -32602);
    assert.equal(
      (await refused(call('mcp/message', { serverId, requestId: 'r', method: 'x', params: [] }))).code,
      -32602,
    );
    const abort = new AbortController();
    const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
    const running = call(
      'mcp/message',
      { serverId, requestId: 'same', method: 'tools/call', params: wait },
      abort.signal,
    );
    const canceled = refused(running);
    await begun;
    const twice = call('mcp/message', { serverId, requestId: 'same', method: 'tools/list', params: { _meta: META } });
    assert.equal((await refused(twice)).code, -32602);
    abort.abort();
    assert.equal((await canceled).code, -32800);
  });

  it('accepts the same request id for two servers at the same time', async () => {
    const other = sampleServer('other');
    bench.servers.add(other.server, 'builtIn');
    const declared = await bench.hostedServers.declareServers(bench.session, 'acp', true);
    const ids = declared.map((one) => String(one['serverId']));
    const { call } = wireOf(bench, ids);
    const abort = new AbortController();
    const params = { name: 'wait', arguments: {}, _meta: META };
    const calls: Promise<{ code: number }>[] = [];
    for (const [index, { begun }] of [bench.sample, other].entries()) {
      const started = new Promise((resolve) => begun.event(resolve));
      const message = { serverId: ids[index], requestId: 'same', method: 'tools/call', params };
      calls.push(refused(call('mcp/message', message, abort.signal)));
      await Promise.race([started, calls[index]]);
    }
    assert.deepEqual([bench.sample.waiting.length, other.waiting.length], [1, 1]);
    abort.abort();
    for (const { code } of await Promise.all(calls)) assert.equal(code, -32800);
  });

  it('rejects a request of more than 4 MiB, with its error code', async () => {
    const { call, feature } = wireOf(bench, [serverId]);
    const fit = { name: 'add', arguments: { a: 1, b: 2, more: 'x'.repeat(MAX_REQUEST - 1024) }, _meta: META };
    const message = (params: object): object => ({ serverId, requestId: 'r', method: 'tools/call', params });
    assert.ok('result' in ((await call('mcp/message', message(fit))) as object));
    // Three bytes a character.
    const long = { ...fit, arguments: { a: 1, b: 2, more: '€'.repeat(MAX_REQUEST / 3) } };
    assert.equal((await refused(call('mcp/message', message(long)))).code, -33000);
    const { connectionId } = (await call('mcp/connect', { serverId })) as JsonObject;
    const told = { connectionId, method: 'tools/call', params: long };
    assert.equal((await refused(call('mcp/message', told))).code, -32000);
    const passed: string[] = [];
    const { channel } = bench.hostedServers.find(serverId)!.connection(String(connectionId))!;
    channel.notify = (method) => void passed.push(method);
    for (const params of [long, fit]) feature.notifications[0]!.handle({ ...told, method: 'notifications/x', params });
    assert.deepEqual(passed, ['notifications/x']);
  });

  it('handles 64 requests at a time and rejects the next', async () => {
    const { call } = wireOf(bench, [serverId]);
    const params = { name: 'wait', arguments: {}, _meta: META };
    const abort = new AbortController();
    const call64 = Array.from({ length: MAX_ACTIVE }, (_, index) =>
      refused(
        call(
          'mcp/message',
          { serverId, requestId: `r${index}`, method: 'tools/call', params },
          // Each request has its own signal, as on the wire.
          AbortSignal.any([abort.signal]),
        ),
      ),
    );
    const next = call('mcp/message', { serverId, requestId: 'one more', method: 'tools/call', params });
    assert.equal((await refused(next)).code, -33000);
    const { connectionId } = (await call('mcp/connect', { serverId })) as JsonObject;
    const inConversation = call('mcp/message', { connectionId, method: 'tools/list' });
    assert.equal((await refused(inConversation)).code, -32000, 'its own code is of the newer wire alone');
    abort.abort();
    for (const { code } of await Promise.all(call64)) assert.equal(code, -32800);
  });

  it('opens independent conversations, up to the limit', async () => {
    const { call } = wireOf(bench, [serverId]);
    const open = async (): Promise<string> =>
      String(((await call('mcp/connect', { acpId: serverId })) as JsonObject)['connectionId']);
    const [first, second] = [await open(), await open()];
    assert.notEqual(first, second);
    const initialize = {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    };
    const answer = (await call('mcp/message', { connectionId: first, ...initialize })) as JsonObject;
    assert.equal(answer['protocolVersion'], '2025-06-18');
    assert.deepEqual(await call('mcp/disconnect', { connectionId: first }), {});
    assert.equal((await refused(call('mcp/message', { connectionId: first, method: 'tools/list' }))).code, -32602);
    assert.equal((await refused(call('mcp/disconnect', { connectionId: first }))).code, -32602);
    assert.ok(await call('mcp/message', { connectionId: second, ...initialize }));
    for (let count = 1; count < MAX_CONNECTIONS; count += 1) await open();
    assert.equal((await refused(open())).code, -32000);
    assert.equal((await refused(call('mcp/connect', { serverId: 'nobody' }))).code, -32602);
    assert.equal((await refused(call('mcp/connect', {}))).code, -32602);
  });

  it('opens a conversation by the URL of the first draft', async () => {
    const { call } = wireOf(bench, [serverId]);
    for (const acpUrl of [`acp:${serverId}`, serverId])
      assert.ok('connectionId' in ((await call('mcp/connect', { acpUrl })) as JsonObject), acpUrl);
    assert.equal((await refused(call('mcp/connect', { acpUrl: 'acp:nobody' }))).code, -32602);
  });

  it('reports the failure of a server without a connection as such', async () => {
    const broken = stubOf<HostedServer>({
      stateless: stubOf<HostedServer['stateless']>({}),
      handleRequest: () => Promise.reject(new Error('no disk')),
    });
    const feature = new McpOverAcp({ find: () => broken, notify: () => undefined });
    const handler = feature.handlers.find(({ method }) => method === 'mcp/message')!;
    const request = handler.parse({ serverId, requestId: 'r', method: 'tools/list', params: { _meta: META } });
    const answer = handler.handle(request, { signal: new AbortController().signal });
    await assert.rejects(answer, { code: -33002, message: 'The MCP server failed: no disk' });
  });

  it('closes a connection by a notification, too', async () => {
    const { call, feature } = wireOf(bench, [serverId]);
    const { connectionId } = (await call('mcp/connect', { serverId })) as JsonObject;
    const served = bench.hostedServers.find(serverId)!;
    assert.equal(served.connections, 1);
    const notification = feature.notifications.find(({ method }) => method === 'mcp/disconnect')!;
    for (const params of [undefined, {}, { connectionId: 'other' }]) notification.handle(params);
    assert.equal(served.connections, 1);
    notification.handle({ connectionId });
    assert.equal(served.connections, 0);
    assert.equal((await refused(call('mcp/message', { connectionId, method: 'tools/list' }))).code, -32602);
  });

  it('does not open servers of another session, or servers not declared to this agent', async () => {
    const [foreign] = await bench.hostedServers.declareServers(fakeSession('session-2'), 'acp', true);
    const { call } = wireOf(bench, [serverId]);
    const id = String(foreign?.['serverId']);
    assert.notEqual(id, serverId);
    assert.equal(
      (await refused(call('mcp/message', { serverId: id, requestId: 'r', method: 'tools/list' }))).code,
      -33001,
    );
    assert.equal((await refused(call('mcp/connect', { serverId: id }))).code, -32602);
  });

  it('declares a reopened session with the same ids, and ends its calls when it is closed', async () => {
    const { call } = wireOf(bench, [serverId]);
    const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
    const params = { name: 'wait', arguments: {}, _meta: META };
    const running = refused(call('mcp/message', { serverId, requestId: 'r', method: 'tools/call', params }));
    await begun;
    await bench.hostedServers.close(bench.session.id);
    assert.equal((await running).code, -32800);
    assert.equal((await refused(call('mcp/message', { serverId, requestId: 'r', method: 'tools/list' }))).code, -33001);
    for (const way of ['acp', 'http', 'stdio'] as const) {
      const before = await bench.hostedServers.declareServers(bench.session, way, true);
      await bench.hostedServers.close(bench.session.id);
      assert.deepEqual(await bench.hostedServers.declareServers(bench.session, way, true), before);
    }
  });

  it("supports the ACP SDK's own caller, with progress", async () => {
    const caller = new McpOverAcpCaller({ clientInfo: { name: 'agent', version: '1' } });
    let notify: ((method: string, params: JsonObject) => void) | undefined;
    const feature = new McpOverAcp({
      find: (id) => bench.hostedServers.find(id),
      notify: (method, params) => notify?.(method, params),
    });
    const handler = feature.handlers.find(({ method }) => method === 'mcp/message')!;
    const [toAgent, toClient] = [new TransformStream(), new TransformStream()];
    const host = client()
      .onRequest(
        'mcp/message',
        (params: unknown) => handler.parse(params),
        ({ params, signal }) => handler.handle(params, { signal }),
      )
      .connect({ readable: toClient.readable, writable: toAgent.writable });
    notify = (method, params) => void host.agent.notify(method, params);
    const told: unknown[] = [];
    const guest = agent()
      .onNotification(methods.agent.mcp.message, caller.handleNotification)
      .connect({ readable: toAgent.readable, writable: toClient.writable });
    const params = { name: 'step', arguments: {}, _meta: { progressToken: 7 } };
    const outcome = await caller.request(guest.client, serverId, 'tools/call', params, {
      onNotification: (...values: unknown[]) => {
        told.push(values);
        bench.sample.goOn.fire();
      },
    });
    assert.ok('result' in outcome);
    assert.match(JSON.stringify(told), /"progressToken":7.*half of it|half of it.*"progressToken":7/);
  });
});
