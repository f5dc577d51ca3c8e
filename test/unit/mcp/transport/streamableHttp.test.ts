import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { nullLogger } from '../../../../src/base/logger';
import type { HostedServer } from '../../../../src/mcp/host/hostedServer';
import { MAX_ACTIVE, MAX_REQUEST } from '../../../../src/mcp/host/hostedServer';
import { RelaySocket } from '../../../../src/mcp/transport/mcpOverStdio';
import { createLocalServer } from '../../../../src/node/http/localHttpServer';
import { MAX_UNVERIFIED } from '../../../../src/node/http/unverifiedConnections';
import { until } from '../../../kit/waiting';
import type { Bench } from '../sample';
import { createBench, fakeSession } from '../sample';
import { declare } from './transports';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('The local HTTP server of tool servers', () => {
  let bench: Bench;
  let url: URL;
  let authorization: string;

  beforeEach(async () => {
    bench = createBench();
    ({ url, authorization } = await declareHttp(bench));
  });

  afterEach(() => bench.hostedServers.dispose());

  const send = (
    changes: { headers?: Record<string, string | undefined>; body?: unknown; method?: string; path?: string } = {},
  ): Promise<Reply> => {
    const { method = 'POST', path = url.pathname, body = INITIALIZE } = changes;
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    return exchange(
      url,
      { method, path, headers: { ...headers, ...changes.headers } },
      method === 'POST' ? body : undefined,
    );
  };

  it('serves clients with the token, on 127.0.0.1 only', async () => {
    assert.equal(url.hostname, '127.0.0.1');
    const reply = await send();
    assert.equal(reply.status, 200);
    assert.match(reply.headers['mcp-session-id'] as string, /^[\w-]+$/);
    const other = Object.values(networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === 'IPv4');
    if (other) await assert.rejects(once(connect(Number(url.port), other.address), 'connect'));
  });

  it('rejects all other clients, and gives web pages no information', async () => {
    const cases: readonly [string, Parameters<typeof send>[0], number][] = [
      ['no token', { headers: { authorization: undefined } }, 401],
      ['a wrong token', { headers: { authorization: 'Bearer nonsense' } }, 401],
      ['a token of another scheme', { headers: { authorization: authorization.replace('Bearer', 'Basic') } }, 401],
      ['a token with more behind it', { headers: { authorization: `${authorization}x` } }, 401],
      ['a token with less', { headers: { authorization: authorization.slice(0, -1) } }, 401],
      ['a token with more before it', { headers: { authorization: authorization.replace(' ', ' x') } }, 401],
      ['a token twice', { headers: { authorization: `${authorization}, ${authorization}` } }, 401],
      ['a token in other letters', { headers: { authorization: otherCase(authorization) } }, 401],
      ['an origin that is none', { headers: { origin: 'null' } }, 403],
      ['an empty origin', { headers: { origin: '' } }, 403],
      ['an origin', { headers: { origin: 'https://evil.example' } }, 403],
      ['an origin on this machine', { headers: { origin: `http://127.0.0.1:${url.port}` } }, 403],
      ['a host by name', { headers: { host: 'evil.example' } }, 403],
      ['a host that is resolved to this machine', { headers: { host: `localhost:${url.port}` } }, 403],
      ['another route', { path: '/0123456789abcdef01234567' }, 404],
      ['no route', { path: '/' }, 404],
      ['a route with a query', { path: `${url.pathname}?token=x` }, 404],
      ['a text', { headers: { 'content-type': 'text/plain' } }, 415],
      ['no JSON', { body: 'no json' }, 400],
      ['a batch', { body: [PING, PING] }, 400],
      ['a number', { body: 7 }, 400],
      ['PUT', { method: 'PUT' }, 405],
      ['OPTIONS', { method: 'OPTIONS' }, 405],
      ['OPTIONS of a page', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }, 403],
      ['an unknown conversation', { headers: { 'mcp-session-id': 'nobody' }, body: PING }, 404],
      ['no conversation', { body: PING }, 400],
    ];
    for (const [what, changes, status] of cases) {
      const reply = await send(changes);
      assert.equal(reply.status, status, what);
      const cors = Object.keys(reply.headers).filter((name) => name.startsWith('access-control'));
      assert.deepEqual(cors, [], what);
    }
  });

  it('reports an invalid body with the codes of JSON-RPC', async () => {
    const cases: readonly (readonly [unknown, number])[] = [
      ['no json', -32700],
      ['{"jsonrpc":"2.0","id":1,', -32700],
      [[PING, PING], -32600],
      [[], -32600],
      [7, -32600],
      [{ id: 1, method: 'ping' }, -32600],
      [{ ...PING, method: 7 }, -32600],
      [{ ...PING, id: {} }, -32600],
      [{ ...PING, id: null }, -32600],
      [{ jsonrpc: '2.0', id: 1 }, -32600],
    ];
    for (const [body, code] of cases) {
      const { status, text } = await send({ body });
      const { id, error } = JSON.parse(text) as { id: unknown; error: { code: number } };
      assert.deepEqual([status, id, error.code], [400, null, code], JSON.stringify(body));
    }
  });

  it('rejects the 65th simultaneous request with an MCP error code', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' };
    const ask = (id: number): Promise<Reply> =>
      send({
        headers,
        body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait', arguments: {}, _meta: META } },
      });
    const full = new Promise<void>((resolve) => {
      bench.sample.begun.event(() => bench.sample.waiting.length === MAX_ACTIVE && resolve());
    });
    const running = Array.from({ length: MAX_ACTIVE }, (_, id) => ask(id));
    await full;
    const { id, error } = JSON.parse((await ask(MAX_ACTIVE)).text) as { id: number; error: { code: number } };
    assert.deepEqual([id, error.code], [MAX_ACTIVE, -32000]);
    await bench.hostedServers.close(bench.session.id);
    await Promise.all(running);
  });

  it('closes the oldest unauthenticated connection for a new one, but no authenticated one', async () => {
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(url.port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    await send();
    const stream = await fetch(url, { headers: { authorization, accept: 'text/event-stream' } });
    const [first, ...others] = await Promise.all(Array.from({ length: MAX_UNVERIFIED }, open));
    const closed = once(first!, 'close');
    others.push(await open());
    await closed;
    assert.equal((await send()).status, 200, 'a client with the token gets in');
    const more = await Promise.all(Array.from({ length: MAX_UNVERIFIED }, open));
    await Promise.all(others.map(async (socket) => socket.destroyed || once(socket, 'close')));
    const ended = stream.text();
    await bench.hostedServers.close(bench.session.id);
    assert.equal(await ended, '', 'it was ended by the session, not cut off');
    for (const socket of more) socket.destroy();
  });

  it('closes the connection after a rejected request', async () => {
    for (const headers of [{ authorization: undefined }, { origin: 'null' }])
      assert.equal((await send({ headers })).headers.connection, 'close');
    assert.equal((await send({ path: '/' })).headers.connection, 'close');
    assert.notEqual((await send()).headers.connection, 'close');
  });

  it('rejects a body that is too long, also without a content length', async () => {
    const long = { ...INITIALIZE, filler: 'x'.repeat(MAX_REQUEST) };
    assert.equal((await send({ body: long })).status, 413);
    assert.equal((await send({ body: long, headers: { 'transfer-encoding': 'chunked' } })).status, 413);
    assert.equal((await send()).status, 200);
  });

  it('rejects a content length that is too long before the body arrives', async () => {
    const headers = {
      authorization,
      host: url.host,
      'content-type': 'application/json',
      'content-length': MAX_REQUEST + 1,
    };
    const sent = request(url, { method: 'POST', headers });
    sent.on('error', () => undefined).flushHeaders();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 413);
    sent.destroy();
  });

  it('does not upgrade or proxy connections, with or without the token', async () => {
    for (const first of [
      `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      `CONNECT ${url.host} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${authorization}\r\n\r\n`,
      'nonsense\r\n\r\n',
    ]) {
      const socket = connect(Number(url.port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(first);
      await once(socket, 'close');
      assert.equal(socket.bytesRead, 0, first);
    }
  });

  it('compares the headers of 2026-07-28 with the body', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 1, b: 1 }, _meta: META },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' };
    assert.deepEqual(JSON.parse((await send({ body: call, headers })).text).result.structuredContent, { sum: 2 });
    for (const wrong of [
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'fail' },
      { 'mcp-protocol-version': '2025-06-18' },
    ]) {
      const reply = await send({ body: call, headers: { ...headers, ...wrong } });
      assert.equal(reply.status, 400, JSON.stringify(wrong));
    }
  });

  it('separates sessions: a token opens its own route only', async () => {
    const other = await declareHttp({ ...bench, session: fakeSession('session-2') });
    assert.equal(other.url.port, url.port);
    assert.equal((await send({ path: other.url.pathname })).status, 401);
    assert.equal(
      (await send({ path: other.url.pathname, headers: { authorization: other.authorization } })).status,
      200,
    );
  });

  it('rejects a closed session, and aborts its calls', async () => {
    const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
    const body = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait', arguments: {}, _meta: META } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' };
    const running = send({ body, headers });
    await begun;
    await bench.hostedServers.close(bench.session.id);
    assert.equal((await running).text, '');
    assert.equal(bench.sample.waiting[0]?.aborted, true);
    assert.equal((await send()).status, 404);
  });

  it('ends the stream of a closed session', async () => {
    await send();
    const stream = await fetch(url, { headers: { authorization, accept: 'text/event-stream' } });
    assert.equal(stream.status, 200);
    await bench.hostedServers.close(bench.session.id);
    await stream.text();
  });

  it('separates equal request ids of two conversations', async () => {
    const [first, second] = [await send(), await send()];
    const call = (id: unknown, a: number): Promise<Reply> =>
      send({
        headers: { 'mcp-session-id': String(id) },
        body: { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'add', arguments: { a, b: 0 } } },
      });
    const replies = await Promise.all([
      call(first.headers['mcp-session-id'], 1),
      call(second.headers['mcp-session-id'], 2),
      call(first.headers['mcp-session-id'], 3),
    ]);
    assert.deepEqual(
      replies.map(({ text }) => JSON.parse(text).result.structuredContent.sum),
      [1, 2, 3],
    );
  });

  it('cancels only the call of its own conversation, even if another has the same id', async () => {
    const [first, second] = await Promise.all([send(), send()]);
    const of = ({ headers }: Reply): Record<string, string> => ({
      'mcp-session-id': String(headers['mcp-session-id']),
    });
    const body = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait', arguments: {} } };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
    const calls: Promise<Reply>[] = [];
    for (const conversation of [first, second]) {
      const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
      calls.push(send({ headers: of(conversation), body }));
      await begun;
    }
    const aborted = (): readonly boolean[] => bench.sample.waiting.map((signal) => signal.aborted);
    await send({ headers: of(first), body: cancel });
    await calls[0];
    assert.deepEqual(aborted(), [true, false]);
    await send({ headers: of(second), body: cancel });
    await calls[1];
    assert.deepEqual(aborted(), [true, true]);
  });

  it('assigns a client that omits its session id to the last session', async () => {
    await send();
    assert.equal((await send({ body: PING })).status, 200);
    assert.equal((await send({ method: 'DELETE' })).status, 200);
    assert.equal((await send({ body: PING })).status, 400);
  });
});

describe('An incomplete request', () => {
  const connected = new Set<Socket>();
  afterEach(() => {
    for (const socket of connected) socket.destroy();
    connected.clear();
  });

  for (const [what, first] of [
    ['nothing', ''],
    ['half a header', 'POST / HTTP/1.1\r\nHost: 127'],
    ['no body', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'],
  ] as const) {
    it(`ends its connection: ${what}`, async () => {
      const { server } = createLocalServer({ headers: 60, request: 120, check: 20 });
      // The response waits for the body, as in Parley's server.
      server.on('request', (request, response) => request.resume().on('end', () => response.end()));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
      connected.add(socket);
      socket.write(first);
      await once(socket, 'close');
      server.close();
    });
  }

  it('is limited by the server’s timeouts for headers, requests and keep-alive', async () => {
    const { server } = createLocalServer();
    assert.ok(server.headersTimeout > 0 && server.headersTimeout <= 10_000, String(server.headersTimeout));
    assert.ok(server.requestTimeout > 0 && server.requestTimeout <= 60_000, String(server.requestTimeout));
  });
});

describe('The socket of relays', () => {
  it('closes the oldest unauthenticated connection for a new one, but no authenticated one', async () => {
    const bench = createBench();
    try {
      const { path } = await declareStdio(bench);
      const open = async (): Promise<Socket> => {
        const socket = connect(path).on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      };
      const sockets = await Promise.all(Array.from({ length: MAX_UNVERIFIED }, open));
      const closed = once(sockets[0]!, 'close');
      sockets.push(await open());
      await closed;
      const long = await open();
      long.write('x'.repeat(4096));
      await once(long, 'close');
      for (const socket of sockets) socket.destroy();
    } finally {
      await bench.hostedServers.dispose();
    }
  });

  it('reports invalid lines with JSON-RPC codes, and continues after a line that is too long', async () => {
    const bench = createBench();
    try {
      const { path, token } = await declareStdio(bench);
      const socket = connect(path);
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
      const answer = async (line: string): Promise<unknown[]> => {
        socket.write(`${line}\n`);
        const { id, error, result } = JSON.parse(String((await lines.next()).value));
        return [id, (error as { code?: number } | undefined)?.code ?? Object.keys(result)];
      };
      socket.write(`${token}\n`);
      assert.deepEqual(await answer('no json'), [null, -32700]);
      assert.deepEqual(await answer(JSON.stringify([PING, PING])), [null, -32600]);
      assert.deepEqual(await answer('[]'), [null, -32600]);
      assert.deepEqual(await answer('7'), [null, -32600]);
      assert.deepEqual(await answer(JSON.stringify({ ...PING, id: {} })), [null, -32600]);
      assert.deepEqual(await answer(JSON.stringify({ ...PING, params: 'x'.repeat(MAX_REQUEST) })), [1, -32000]);
      assert.deepEqual((await answer(JSON.stringify(INITIALIZE)))[0], 1);
      assert.deepEqual(await answer(JSON.stringify({ ...PING, id: 'after' })), ['after', []]);
      socket.destroy();
    } finally {
      await bench.hostedServers.dispose();
    }
  });

  it('closes connections that do not begin with the token, and all connections when the session is closed', async () => {
    const bench = createBench();
    try {
      const declared = await declare(bench, 'stdio');
      const variables = Object.fromEntries(declared.env.map(({ name, value }) => [name, value]));
      const token = variables['PARLEY_TOKEN']!;
      const near = [`${token}x\n`, `x${token}\n`, `${token.slice(0, -1)}\n`, `${otherCase(token)}\n`];
      for (const first of ['nonsense\n', '\n', `${JSON.stringify(INITIALIZE)}\n`, ...near]) {
        const socket = connect(variables['PARLEY_SOCKET']!);
        socket.on('error', () => undefined);
        socket.write(first);
        await once(socket, 'close');
        assert.equal(socket.bytesRead, 0);
      }
      const socket = connect(variables['PARLEY_SOCKET']!);
      socket.write(`${variables['PARLEY_TOKEN']}\n${JSON.stringify(INITIALIZE)}\n`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      assert.equal(JSON.parse(data.toString()).result.protocolVersion, '2025-06-18');
      const ended = once(socket, 'close');
      await bench.hostedServers.close(bench.session.id);
      await ended;
    } finally {
      await bench.hostedServers.dispose();
    }
  });
});

describe('The path of the relays’ socket', () => {
  it('is accessible to this user only, is random, contains no token, and is removed with the window', async function () {
    if (process.platform === 'win32') this.skip();
    const bench = createBench();
    const others = createBench();
    const places = await Promise.all(
      [bench, others].map(async (one) => {
        const { env } = await declare(one, 'stdio');
        return env.find(({ name }) => name === 'PARLEY_SOCKET')!.value;
      }),
    );
    const [folder, another] = places.map(dirname);
    assert.notEqual(folder, another);
    assert.equal(statSync(folder!).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(folder!), ['s']);
    await Promise.all([bench, others].map(({ hostedServers }) => hostedServers.dispose()));
    await until(() => !(existsSync(folder!) || existsSync(another!)));
  });

  it('is short enough for the system, however long the path of the temporary folder is', async function () {
    if (process.platform === 'win32') this.skip();
    const own = process.env['TMPDIR'];
    const long = mkdtempSync(join(tmpdir(), `${'long-'.repeat(30)}é`));
    process.env['TMPDIR'] = long;
    const socket = new RelaySocket(nullLogger, '/relay.js');
    try {
      const { env } = await socket.add({ identity: { token: 'token' } } as HostedServer);
      const path = env['PARLEY_SOCKET'] ?? '';
      assert.ok(statSync(path).isSocket());
      assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
      assert.deepEqual(readdirSync(long), []);
    } finally {
      if (own === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = own;
      socket.dispose();
      rmSync(long, { recursive: true });
    }
  });

  it('allows one attempt for a token, and does not parse data after a wrong one', async () => {
    const bench = createBench();
    try {
      const declared = await declare(bench, 'stdio');
      const { PARLEY_SOCKET: path, PARLEY_TOKEN: token } = Object.fromEntries(
        declared.env.map(({ name, value }) => [name, value]),
      );
      const served = bench.hostedServers.get(bench.session.id, 'sample')!;
      const socket = connect(path!);
      socket.on('error', () => undefined);
      let most = 0;
      const open = served.connect.bind(served);
      served.connect = () => {
        most += 1;
        return open();
      };
      socket.write(`wrong\n${token}\n`);
      await once(socket, 'close');
      assert.equal(most, 0);
    } finally {
      await bench.hostedServers.dispose();
    }
  });
});

/** The same letters, some of them in the other case. */
function otherCase(text: string): string {
  const last = text.search(/[a-zA-Z][^a-zA-Z]*$/);
  const letter = text[last]!;
  return (
    text.slice(0, last) +
    (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) +
    text.slice(last + 1)
  );
}

async function declareStdio(bench: Bench): Promise<{ readonly path: string; readonly token: string }> {
  const declared = await declare(bench, 'stdio');
  const variables = Object.fromEntries(declared.env.map(({ name, value }) => [name, value]));
  return { path: variables['PARLEY_SOCKET']!, token: variables['PARLEY_TOKEN']! };
}

async function declareHttp(bench: Bench): Promise<{ readonly url: URL; readonly authorization: string }> {
  const declared = await declare(bench, 'http');
  return { url: new URL(declared.url), authorization: declared.headers[0]!.value };
}

function exchange(
  { port }: URL,
  { headers, ...options }: { method: string; path: string; headers: Record<string, string | undefined> },
  body: unknown,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const given = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const sent = request({ host: '127.0.0.1', port, ...options, headers: Object.fromEntries(given) }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text: received }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : text);
  });
}
