import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { WebSocketServer } from 'ws';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { TestClock } from '../../../kit/testClock';
import { becomes, untilEvent } from '../../../kit/waiting';
import { define, SessionsBench } from './sessionsBench';
import { end, HandServer, listen, node, sseServer } from './testServers';
import { holds, PersonBench } from './userServersBench';

describe('a server that is defined by a URL', () => {
  let bench: PersonBench;
  const closing: (() => void)[] = [];
  beforeEach(() => (bench = new PersonBench()));
  afterEach(() => {
    bench.dispose();
    for (const close of closing.splice(0)) close();
  });

  it('is used by SSE if it refuses a POST, and from then on at once', async () => {
    const { url, seen, close, endStreams } = await sseServer();
    closing.push(close);
    const server = bench.serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    assert.deepEqual(server.start, { type: 'sse', url, headers: {} });
    assert.equal((await bench.call(server, 'list')).text, 'listed');
    endStreams();
    await holds(server, () => server.state !== 'ready');
    await holds(server, () => server.state === 'ready');
    assert.equal(seen.filter((one) => one === 'refused').length, 1);
  });

  it('on this machine is asked without fetch, which ends answers that are silent for five minutes', async () => {
    const hand = new HandServer();
    closing.push(() => hand.close());
    const url = await hand.open();
    const { fetch } = globalThis;
    globalThis.fetch = () => Promise.reject(new Error('fetch was used'));
    try {
      const server = bench.serve({ type: 'http', url, headers: {} });
      await server.prepare(true);
      assert.equal((await bench.call(server, 'add')).text, 'called add');
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('says what it answered to the POST if it does not support SSE either', async () => {
    const web = createServer((_request, response) => response.writeHead(404).end('nothing here'));
    const url = await listen(web);
    closing.push(() => end(web));
    const server = bench.serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    assert.match(server.state ?? '', /^failed: .*POSTing.*nothing here/);
  });

  it('is declared to an agent as what a connection has shown it to be', async () => {
    const { url, close } = await sseServer();
    closing.push(close);
    const sessions = new SessionsBench();
    try {
      sessions.define(define('old', { type: 'http', url, headers: {} }));
      const declaredTo = async (mcp: Record<string, boolean>): Promise<unknown> =>
        (await sessions.declare(mcp))[0]?.['type'];
      assert.equal(await declaredTo({ http: true, sse: true }), 'http');
      const viewer = sessions.person.view(sessions.session);
      const [server] = sessions.person.all;
      assert.ok(server);
      await untilEvent(server.onDidChange, () => server.start?.type === 'sse');
      viewer.dispose();
      assert.equal(await declaredTo({ http: true, sse: true }), 'sse');
      assert.equal(await declaredTo({ http: true }), 'acp', 'through Parley');
      for (const mcp of [{ http: true, sse: true }, { http: true }]) {
        sessions.define({ ...define(JSON.stringify(mcp), { type: 'http', url, headers: {} }), mayBeSse: true });
        assert.equal(await declaredTo(mcp), 'sse' in mcp ? 'sse' : 'acp', 'without a type it is tried first');
      }
    } finally {
      await sessions.dispose();
    }
  });
});

describe('a server over WebSocket', () => {
  let bench: PersonBench;
  let sockets: WebSocketServer;
  const seen: (string | undefined)[] = [];
  beforeEach(async () => {
    bench = new PersonBench();
    sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => sockets.once('listening', resolve));
  });
  afterEach(() => {
    bench.dispose();
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    seen.length = 0;
  });
  const url = (): string => `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/mcp`;

  function answer(): void {
    sockets.on('connection', (socket, request) => {
      seen.push(request.headers['authorization'], socket.protocol);
      const mcp = new McpServer({ name: 'sockets', version: '1.0.0' });
      mcp.registerTool('list', {}, async () => ({ content: [{ type: 'text', text: 'listed' }] }));
      const transport: Transport = {
        start: async () => undefined,
        close: async () => socket.close(),
        send: async (message: object) => socket.send(JSON.stringify(message)),
      };
      socket.on('message', (data: Buffer) => transport.onmessage?.(JSON.parse(data.toString()) as JSONRPCMessage));
      void mcp.connect(transport);
    });
  }

  it('gets its headers, can be called, and is connected again', async () => {
    answer();
    const server = bench.serve({ type: 'ws', url: url(), headers: { Authorization: 'Bearer t' } });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    assert.equal((await bench.call(server, 'list')).text, 'listed');
    assert.deepEqual(seen, ['Bearer t', 'mcp']);
    for (const socket of sockets.clients) socket.close();
    await holds(server, () => server.state !== 'ready');
    await holds(server, () => server.state === 'ready');
    assert.equal((await bench.call(server, 'list')).text, 'listed');
  });

  it('is cut off when it sends a message of many levels', async () => {
    sockets.on('connection', (socket) => socket.send('['.repeat(1_000)));
    const server = bench.serve({ type: 'ws', url: url(), headers: {} });
    await server.prepare(true);
    assert.match(server.state ?? '', /more than 200 levels/);
  });

  it('fails if nobody listens', async () => {
    const gone = url();
    await new Promise((resolve) => sockets.close(resolve));
    const server = bench.serve({ type: 'ws', url: gone, headers: {} });
    await server.prepare(true);
    assert.match(server.state ?? '', /^failed: .*ECONNREFUSED/);
  });
});

describe('a server with the framing of another protocol', () => {
  const framed =
    "const body = '{}'; process.stdin.on('data', () => process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body))";
  const complaining =
    "process.stdin.on('data', () => process.stderr.write('Error: Header must provide a Content-Length property.\\n'))";
  for (const [how, script] of Object.entries({ framed, complaining }))
    it(`is named as such and not started again (${how})`, async () => {
      const bench = new PersonBench();
      const server = bench.serve(node(`${script}; setInterval(() => {}, 1000)`));
      await server.prepare(true);
      assert.match(
        server.state ?? '',
        /^failed: the server frames its messages by Content-Length; [^(]*in each line(?:$|\n)/,
      );
      bench.dispose();
    });

  it('says what may be wrong while a server is silent, until it answers', async () => {
    const clock = new TestClock();
    const bench = new PersonBench();
    const answer = `({ jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } } })`;
    const said = join(temporaryFolder(), 'go');
    const late = `import { existsSync } from 'node:fs'; let asked; process.stdin.on('data', () => (asked ??= setInterval(() => existsSync(${JSON.stringify(said)}) && (clearInterval(asked), console.log(JSON.stringify${answer})), 20)))`;
    const server = bench.serve(node(late), { clock });
    const prepared = server.prepare(true);
    await becomes(() => clock.delays.includes(5_000), true);
    assert.equal(server.state, 'connecting');
    clock.advance(5_000);
    assert.match(server.state ?? '', /^connecting: no answer yet\. The program is still starting, or .*Content-Length/);
    await writeFile(said, '');
    await prepared;
    assert.equal(server.state, 'ready');
    bench.dispose();
  });
});
