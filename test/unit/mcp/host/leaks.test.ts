import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createDeferred } from '../../../../src/base/async';
import { CanceledError } from '../../../../src/base/errors';
import type { JsonObject } from '../../../../src/base/json';
import { Lazy } from '../../../../src/base/lazy';
import { nullLogger } from '../../../../src/base/logger';
import { Redactor } from '../../../../src/base/redactor';
import type { UserServers } from '../../../../src/mcp/contract/userServers';
import { MAX_ACTIVE, MAX_CONNECTIONS } from '../../../../src/mcp/host/hostedServer';
import type { HostedServer } from '../../../../src/mcp/host/hostedServer';
import { HostedServers } from '../../../../src/mcp/hostedServers';
import { LocalTransports } from '../../../../src/mcp/transport/localTransports';
import { RelaySocket } from '../../../../src/mcp/transport/mcpOverStdio';
import { AuditLog } from '../../../../src/permissions/auditLog';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { createBench, fakeSession } from '../sample';
import type { Bench } from '../sample';

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};

/** Resources left by callers must not accumulate (docs/security.md, row 18). */
describe('Tool servers in long use', () => {
  let bench: Bench;
  let served: HostedServer;

  beforeEach(async () => {
    bench = createBench();
    await bench.hostedServers.declareServers(bench.session, 'acp', true);
    served = bench.hostedServers.get(bench.session.id, 'sample')!;
  });
  afterEach(() => bench.hostedServers.dispose());

  it('release a canceled call without an answer of the server', async () => {
    const { channel } = served.connect();
    await served.handleRequest(channel, { id: 0, ...INITIALIZE });
    channel.notify('notifications/initialized', {});
    for (let count = 0; count <= MAX_ACTIVE; count += 1) {
      const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
      const id = `call ${count}`;
      const call = served.handleRequest(channel, { id, method: 'tools/call', params: { name: 'wait', arguments: {} } });
      await begun;
      channel.notify('notifications/cancelled', { requestId: id, reason: 'too late' });
      await assert.rejects(call, CanceledError);
    }
    assert.equal(served.active, 0);
    assert.ok(bench.sample.waiting.every(({ aborted }) => aborted));
  });

  it('do not serve a session that was closed during their preparation', async () => {
    const ready = createDeferred<void>();
    const userServers = stubOf<UserServers>({
      prepare: () => ready.promise,
      declaration: () => undefined,
      closeSession: () => undefined,
    });
    const transports = new LocalTransports(nullLogger, '');
    const hostedServers = new HostedServers(bench.gate, transports, nullLogger, '1', new Lazy(async () => userServers));
    const session = fakeSession('session-3');
    const reach = { capabilities: {}, isRemote: false };
    const declared = hostedServers.declareServers(session, 'acp', true, reach);
    await hostedServers.close(session.id);
    ready.resolve();
    assert.deepEqual(await declared, []);
    assert.equal(hostedServers.get(session.id, 'sample'), undefined);
    assert.equal((await hostedServers.declareServers(session, 'acp', true, reach)).length, 1, 'it may come back');
    await hostedServers.dispose();
    assert.deepEqual(await hostedServers.declareServers(session, 'http', true, reach), []);
  });

  it('answer nothing after they are closed', async () => {
    const { channel } = served.connect();
    await served.close();
    await assert.rejects(served.handleRequest(channel, { id: 1, method: 'ping' }), { reason: 'unavailable' });
    assert.throws(() => served.connect(), { reason: 'unavailable' });
  });

  it('close relay connections that send nothing, or never end a line', async () => {
    const relays = new RelaySocket(nullLogger, '', 20);
    const { env } = await relays.add(served);
    await closed(connect(env['PARLEY_SOCKET']!));
    const long = connect(env['PARLEY_SOCKET']!);
    long.write(env['PARLEY_TOKEN']!.repeat(100_000));
    await closed(long);
    relays.dispose();
  });

  it('open no socket if the window closes while they start', async () => {
    const relays = new RelaySocket(nullLogger, '');
    const added = relays.add(served);
    relays.dispose();
    await assert.rejects(added, CanceledError);
  });
});

/** Settles when the other side has closed the socket, also by a reset. */
function closed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Agents that restart without ending their MCP session (Streamable HTTP until 2025-11-25). */
describe('The local HTTP server in long use', () => {
  let bench: Bench;
  let url: string;
  let authorization: string;

  beforeEach(async () => {
    bench = createBench();
    const [declared] = await bench.hostedServers.declareServers(bench.session, 'http', true);
    const { headers } = declared as { headers: readonly { readonly value: string }[] };
    [url, authorization] = [String(declared?.['url']), headers[0]!.value];
  });
  afterEach(() => bench.hostedServers.dispose());

  const post = (body: JsonObject, conversation?: string | null): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(conversation && { 'mcp-session-id': conversation }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  const open = async (): Promise<string> => {
    const response = await post({ id: 1, ...INITIALIZE });
    assert.ok(((await response.json()) as JsonObject)['result'], 'not opened');
    return response.headers.get('mcp-session-id') ?? '';
  };
  const ping = async (conversation: string): Promise<number> =>
    (await post({ id: 2, method: 'ping' }, conversation)).status;

  it('closes the conversation that was idle for the longest time when there are too many', async () => {
    const all: string[] = [];
    for (let count = 0; count < MAX_CONNECTIONS; count += 1) all.push(await open());
    assert.equal(await ping(all[0]!), 200);
    await open();
    assert.deepEqual([await ping(all[0]!), await ping(all[1]!), await ping(all[2]!)], [200, 404, 200]);
  });

  it('keeps conversations that have a listener, and rejects further ones with the request id', async () => {
    const streams: Response[] = [];
    for (let count = 0; count < MAX_CONNECTIONS; count += 1) {
      const headers = { authorization, accept: 'text/event-stream', 'mcp-session-id': await open() };
      streams.push(await fetch(url, { headers }));
    }
    const { id, error } = (await (await post({ id: 77, ...INITIALIZE })).json()) as JsonObject;
    assert.deepEqual([id, (error as JsonObject)['code']], [77, -32000]);
    await Promise.all(streams.map(async ({ body }) => body?.cancel()));
  });

  it('ends the HTTP response of a call that is canceled by a notification', async () => {
    const conversation = await open();
    await post({ method: 'notifications/initialized' }, conversation);
    const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
    const call = post({ id: 5, method: 'tools/call', params: { name: 'wait', arguments: {} } }, conversation);
    await begun;
    await post({ method: 'notifications/cancelled', params: { requestId: 5 } }, conversation);
    const response = await call;
    assert.deepEqual([response.status, await response.text()], [202, '']);
  });
});

describe('The audit log', () => {
  it('writes a record of a call whose arguments are nested too deeply', async () => {
    const folder = temporaryFolder();
    try {
      const audit = new AuditLog(folder, new Redactor(), nullLogger);
      let deep: unknown = 'x';
      for (let count = 0; count < 20_000; count += 1) deep = { deep };
      const entry = { time: '2026-11-21T00:00:00.000Z', session: 's', agent: 'a', kind: 'other', title: 't', ms: 0 };
      audit.append({ ...entry, arguments: deep, decision: 'allowed', by: 'rule' });
      const [record] = await audit.entries();
      const text = '(too large to be kept)';
      assert.equal(record?.arguments, text);
      assert.equal(record?.hash, createHash('sha256').update(JSON.stringify(text)).digest('hex'));
      await audit.flush();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
