import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, request, validateHeaderName, validateHeaderValue } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Message, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { InMemoryTaskStore, ServerCallContext } from '@a2a-js/sdk/server';
import * as fc from 'fast-check';
import { BoundedTaskStore } from '../../../src/a2a/gateway/boundedTaskStore';
import { MAX_BODY } from '../../../src/a2a/gateway/gatewayHttpServer';
import { parseMcpCommand } from '../../../src/a2a/gateway/mcpCommand';
import { RestrictedFetch } from '../../../src/a2a/net/restrictedFetch';
import type { Clock } from '../../../src/base/clock';
import { isInZone } from '../../../src/node/http/ipRanges';
import type { GatewayBench } from '../../a2a/bench';
import { startGateway } from '../../a2a/bench';
import type { GatewayClient } from '../../a2a/client';
import { connectClient } from '../../a2a/client';
import { stubOf } from '../../kit/stubOf';
import type { Trap } from '../../kit/trap';
import { setTrap } from '../../kit/trap';

const CARD = '/.well-known/agent-card.json';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

function send(url: string, { method = 'POST', path = '/', headers = {}, body }: Sent): Promise<Reply> {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers: given }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('The A2A gateway and unauthorized clients', () => {
  let bench: GatewayBench;
  let good: Record<string, string>;

  beforeEach(async () => {
    bench = await startGateway();
    good = { authorization: `Bearer ${bench.address.token}`, 'content-type': 'application/json' };
  });

  afterEach(() => bench.stop());

  it('requires the token on every route, including the card', async () => {
    const { url, token } = bench.address;
    const near = [`Bearer ${token}x`, `Bearer x${token}`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token} x`];
    for (const path of ['/', CARD, '/elsewhere']) {
      const method = path === CARD ? 'GET' : 'POST';
      for (const authorization of [undefined, 'Bearer ', 'Bearer wrong', ...near, `Basic ${token}`]) {
        const { status } = await send(url, { method, path, headers: { ...good, authorization } });
        assert.equal(status, 401, `${path} ${authorization}`);
      }
    }
    assert.equal((await send(url, { method: 'GET', path: CARD, headers: good })).status, 200);
  });

  it('rejects browsers and wrong host names, with and without the token', async () => {
    const { url } = bench.address;
    const { port } = new URL(url);
    for (const origin of ['https://evil.example', 'http://localhost', 'null']) {
      const { status, headers } = await send(url, { headers: { ...good, origin } });
      assert.equal(status, 403);
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
    for (const host of ['evil.example', `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port}.evil.example`]) {
      assert.equal((await send(url, { headers: { ...good, host } })).status, 403, host);
    }
    assert.equal((await send(url, { method: 'OPTIONS', headers: good })).status, 405);
  });

  it('rejects other routes, types, batches and long bodies', async () => {
    const { url } = bench.address;
    assert.equal((await send(url, { path: '/elsewhere', headers: good })).status, 404);
    assert.equal((await send(url, { method: 'GET', headers: good })).status, 405);
    assert.equal((await send(url, { headers: { ...good, 'content-type': 'text/plain' }, body: '{}' })).status, 415);
    assert.equal((await send(url, { headers: good, body: '[]' })).status, 400);
    assert.equal((await send(url, { headers: good, body: '{' })).status, 400);
    const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x'.repeat(MAX_BODY) } });
    assert.equal((await send(url, { headers: good, body: long })).status, 413);
  });

  it('listens on the loopback address only', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const outside = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
    const port = Number(new URL(bench.address.url).port);
    if (outside) await assert.rejects(opened(port, outside.address));
    await opened(port, '127.0.0.1');
  });

  it('has another port and token after every start, and answers no request after it is stopped', async () => {
    const { url, token } = bench.address;
    await bench.gateway.stop();
    await assert.rejects(send(url, { headers: good }));
    const again = await bench.gateway.start();
    assert.notEqual(again.token, token);
    assert.equal((await send(again.url, { headers: good })).status, 401);
  });
});

function opened(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, timeout: 2_000 }, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
    socket.on('timeout', () => reject(new Error('timeout')));
  });
}

describe('The A2A gateway and URLs in messages', () => {
  let bench: GatewayBench;
  let client: GatewayClient;
  /** Listens where no connection may arrive. */
  let trap: Trap;

  beforeEach(async () => {
    bench = await startGateway();
    client = await connectClient(bench.address.url, bench.address.token);
    trap = await setTrap();
  });

  afterEach(async () => {
    await bench.stop();
    trap.close();
  });

  const refused = async (target: string, more: object = {}): Promise<string> => {
    const { state, answer } = await client.run({ mcp_target_url: target, mcp_method: 'tools/list', ...more });
    assert.equal(state, 'TASK_STATE_FAILED', target);
    assert.deepEqual(answer.mcp_error?.data, { cause: 'refused' }, JSON.stringify(answer));
    assert.equal(trap.seen(), 0, target);
    return answer.mcp_error?.message ?? '';
  };

  it('does not connect to unlisted URLs', async () => {
    bench.listed.push({ alias: 'a', url: 'https://mcp.example', headers: async () => ({}) });
    const { port } = trap;
    const targets = [
      'http://169.254.169.254/latest/meta-data',
      'file:///etc/passwd',
      'mcp+session://another/sample',
      'mcp+session://session-1/another',
      'http://127.0.0.1:22',
      `http://127.0.0.1:${port}`,
      `http://2130706433:${port}`,
      `http://0x7f000001:${port}`,
      `http://[::ffff:127.0.0.1]:${port}`,
      `http://mcp.example:${port}`,
      'https://mcp.example.evil.example',
      `https://mcp.example@127.0.0.1:${port}`,
      `https://user:secret@mcp.example`,
    ];
    for (const target of targets) await refused(target);
    assert.deepEqual([...new Set(bench.audit.map(({ decision }) => decision))], ['denied']);
  });

  it('does not request elicitation or sampling from a server', async () => {
    const command = { mcp_target_url: 'mcp+session://session-1/sample', mcp_method: 'sampling/createMessage' };
    await assert.rejects(client.run(command));
  });

  it('does not connect to a listed name that leads to this machine or a private net', async () => {
    bench.listed.push({ alias: 'a', url: `https://rebind.example:${trap.port}`, headers: async () => ({}) });
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1']) {
      bench.resolve = (_host, found) => found(null, [{ address, family: 4 }]);
      assert.match(await refused('a'), new RegExp(address.replaceAll('.', '\\.')));
    }
    for (const address of ['::1', '::ffff:127.0.0.1', 'fe80::1', 'fd00::1', '64:ff9b::7f00:1']) {
      bench.resolve = (_host, found) => found(null, [{ address, family: 6 }]);
      await refused('a');
    }
    // One allowed address does not compensate for a forbidden one.
    bench.resolve = (_host, found) =>
      found(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    await refused('a');
  });

  it('looks up a name only once, in the connection itself', async () => {
    bench.listed.push({ alias: 'a', url: `https://rebind.example:${trap.port}`, headers: async () => ({}) });
    let asked = 0;
    bench.resolve = (_host, found) => {
      asked += 1;
      // A check before a separate lookup would let the second lookup reach this machine.
      if (asked === 1) found(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
      else found(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const { state, answer } = await client.run({ mcp_target_url: 'a', mcp_method: 'tools/list' });
    assert.equal(state, 'TASK_STATE_FAILED');
    assert.deepEqual(answer.mcp_error?.data, { cause: 'network' });
    assert.equal(asked, 1);
    assert.equal(trap.seen(), 0);
  });

  it('does not let a listed name of this machine resolve to another machine', async () => {
    bench.listed.push({ alias: 'a', url: `http://localhost:${trap.port}`, headers: async () => ({}) });
    bench.resolve = (_host, found) => found(null, [{ address: '93.184.216.34', family: 4 }]);
    await refused('a');
  });

  it('rejects private addresses in unusual notations', async () => {
    for (const url of ['https://[::ffff:127.0.0.1]', 'https://[fd00::1]', 'https://167772161', 'http://mcp.example']) {
      bench.listed.splice(0, 1, { alias: 'a', url: url.replace(/\/?$/, `:${trap.port}`), headers: async () => ({}) });
      await refused('a');
    }
  });

  it('follows no redirect', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(307, { Location: `http://127.0.0.1:${trap.port}/` }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    bench.listed.push({ alias: 'a', url: `http://127.0.0.1:${port}`, headers: async () => ({}) });
    assert.match(await refused('a'), /redirect/);
    server.close();
  });

  it('sends nothing to the URL of another origin that a stream names', async () => {
    const server = createServer(({ method }, response) => {
      if (method === 'POST') response.writeHead(405).end();
      else {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: http://127.0.0.1:${trap.port}/\n\n`);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    bench.listed.push({ alias: 'a', url: `http://127.0.0.1:${port}`, headers: async () => ({}) });
    assert.match(await refused('a'), /is not http:/);
    server.closeAllConnections();
    server.close();
  });

  it('does not connect from a listed origin to another one, and cancels an endless response', async () => {
    const server = createServer((request, response) => {
      if (request.url !== '/long') response.end('here');
      const more = (): void => {
        if (request.url === '/long' && !response.destroyed) response.write('x'.repeat(65_536), more);
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const reach = new RestrictedFetch(`http://127.0.0.1:${port}`);
    const ask = (url: string): Promise<string> =>
      reach.request(new URL(url), { method: 'GET', headers: {} }).then((answer) => answer.text());
    assert.equal(await ask(`${reach.origin}/short`), 'here');
    await assert.rejects(ask(`http://127.0.0.1:${trap.port}/`), { reason: 'refused' });
    await assert.rejects(ask(`http://localhost:${port}/`), { reason: 'refused' });
    assert.equal(trap.seen(), 0);
    await assert.rejects(ask(`${reach.origin}/long`), /longer than \d+ bytes/);
    server.closeAllConnections();
    server.close();
  });

  it('rejects paths outside the path of a target', async () => {
    bench.listed.push({ alias: 'a', url: `http://127.0.0.1:${trap.port}`, path: '/only', headers: async () => ({}) });
    await refused('a', { mcp_request_path: '/other' });
    await refused('mcp+session://session-1/sample', { mcp_request_path: '/other' });
    await refused('mcp+session://session-1/sample', { mcp_headers: { 'X-Any': 'value' } });
  });

  it('reports errors of the network and of the server', async () => {
    const server = createServer((_request, response) => response.writeHead(503).end('busy'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    bench.listed.push({ alias: 'a', url: `http://127.0.0.1:${port}`, headers: async () => ({}) });
    const busy = await client.run({ mcp_target_url: 'a', mcp_method: 'tools/list' });
    assert.deepEqual(busy.answer.mcp_error?.data, { cause: 'http', status: 503 });
    server.close();
    server.closeAllConnections();
    const gone = await client.run({ mcp_target_url: 'a', mcp_method: 'tools/list' });
    assert.deepEqual(gone.answer.mcp_error?.data, { cause: 'network' });
  });
});

describe('Commands in messages', () => {
  it('are parsed, or rejected with a message', () => {
    const field = (good: unknown): fc.Arbitrary<unknown> => fc.oneof(fc.constant(good), fc.jsonValue());
    const command = fc.record(
      {
        mcp_target_url: field('a'),
        mcp_method: field('tools/list'),
        mcp_params: field({}),
        mcp_request_path: field('/mcp'),
        mcp_request_id: field(1),
        mcp_headers: fc.oneof(fc.constant({}), fc.dictionary(fc.string(), fc.jsonValue())),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(command, fc.jsonValue()), (value) => {
        const read = parseMcpCommand([{ content: { $case: 'data', value } }]);
        if (typeof read === 'string') return assert.match(read, /mcp_/);
        // Accepted headers can be sent: Node rejects names and values that would split one header into two.
        for (const [name, text] of Object.entries(read.headers)) {
          validateHeaderName(name);
          validateHeaderValue(name, text);
          assert.notEqual(name.toLowerCase(), 'host');
        }
        return assert.equal(new URL(read.path ?? '/mcp', 'https://a.example').origin, 'https://a.example');
      }),
    );
  });
});

describe('URLs of listed services', () => {
  it('are classified as public or private', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111']) {
      assert.ok(isInZone('public', address), address);
      assert.ok(!isInZone('loopback', address), address);
    }
    const others =
      '0.0.0.0 10.1.2.3 100.100.0.1 169.254.169.254 172.16.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 ' +
      ':: fe80::1 fc00::1 ff02::1 2001:db8::1 2002:7f00:1:: 64:ff9b::1 ::ffff:1.1.1.1 ::127.0.0.1 no-address';
    for (const address of others.split(' ')) {
      assert.ok(!isInZone('public', address), address);
      assert.ok(!isInZone('loopback', address), address);
    }
    for (const address of ['127.0.0.1', '127.255.255.254', '::1']) {
      assert.ok(isInZone('loopback', address), address);
      assert.ok(!isInZone('public', address), address);
    }
  });
});

describe('The tasks of the A2A gateway', () => {
  const task = (id: string): Task => ({
    id,
    contextId: 'c',
    status: undefined,
    artifacts: [],
    history: [],
    metadata: undefined,
  });

  const message = (messageId: string): Message => ({
    messageId,
    contextId: 'c',
    taskId: 't',
    role: Role.ROLE_AGENT,
    parts: [],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  });

  it('are limited to the newest 200 of the last hour', async () => {
    let now = 0;
    const tasks = new BoundedTaskStore(stubOf<Clock>({ elapsed: () => now }));
    for (let number = 0; number < 205; number += 1) await tasks.save(task(`t${number}`));
    assert.equal(await tasks.load('t4'), undefined);
    assert.equal((await tasks.load('t5'))?.id, 't5');
    now = 3_600_001;
    assert.equal(await tasks.load('t204'), undefined);
  });

  it('keep the first message and the newest 99', async () => {
    const tasks = new BoundedTaskStore(stubOf<Clock>({ elapsed: () => 0 }));
    const history = Array.from({ length: 150 }, (_, number) => message(`m${number}`));
    await tasks.save({ ...task('t'), history });
    const ids = (await tasks.load('t'))?.history.map(({ messageId }) => messageId);
    assert.deepEqual([ids?.length, ids?.[0], ids?.[1], ids?.at(-1)], [100, 'm0', 'm51', 'm149']);
  });

  it('are limited to 32 MB, except the newest', async () => {
    const tasks = new BoundedTaskStore(stubOf<Clock>({ elapsed: () => 0 }));
    const large = (id: string, size: number): Task => ({ ...task(id), metadata: { text: 'x'.repeat(size) } });
    for (const id of ['a', 'b', 'c', 'd']) await tasks.save(large(id, 10_000_000));
    const known = async (): Promise<string> => {
      const loaded = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => tasks.load(id)));
      return loaded.map((one) => one?.id ?? '').join('');
    };
    assert.equal(await known(), 'bcd');
    for (let count = 0; count < 9; count += 1) await tasks.save(large('d', 10_000_000));
    assert.equal(await known(), 'bcd', 'a task that is saved again counts once');
    await tasks.save(large('e', 40_000_000));
    assert.equal(await known(), 'e');
  });

  it('are listed in the same order and pages as in the SDK', async () => {
    const tasks = new BoundedTaskStore(stubOf<Clock>({ elapsed: () => 0 }));
    const own = new InMemoryTaskStore();
    const context = new ServerCallContext({ requestedVersion: '1.0' });
    for (const id of ['a', 'b', 'c']) {
      await tasks.save(task(id));
      await own.save(task(id), context);
    }
    const params = {
      tenant: '',
      contextId: 'c',
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageSize: 2,
      pageToken: '',
      statusTimestampAfter: undefined,
    };
    assert.deepEqual(await tasks.list(params, context), await own.list(params, context));
  });
});
