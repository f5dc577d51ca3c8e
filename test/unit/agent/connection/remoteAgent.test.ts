import assert from 'node:assert/strict';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { createDeferred } from '../../../../src/base/async';
import type { JsonObject } from '../../../../src/base/json';
import { fakeAgent } from '../../../fakeAgent/definition';
import { Bench } from '../agentBench';

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const update = (text: string): string =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${text}"}}}}`;
const request = (id: number, params: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"no/such","params":${params}}`;
/** U+2028 ends a line in JavaScript, but not in an event stream. */
const BATCH = `[${update('one \u2028')},7,${request(900, deep)},${update('two')},${request(901, '{}')}]`;

/** What the agent sends after `initialize`. */
let batch = BATCH;

for (const type of ['ws', 'http'] as const) {
  describe(`a batch of a remote agent over ${type}`, () => {
    let server: Server;
    let bench: Bench;
    const answers: JsonObject[] = [];
    let answered = createDeferred<void>();

    function receive(message: JsonObject): void {
      if ('method' in message) return;
      answers.push(message);
      if (answers.length === 2) answered.resolve();
    }

    beforeEach(async () => {
      answers.length = 0;
      batch = BATCH;
      answered = createDeferred();
      server = type === 'ws' ? socketAgent(receive) : httpAgent(receive);
      server.listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `${type}://127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
      bench = new Bench({ definition: { ...fakeAgent(), remote: { type, url, headers: {} } } });
    });
    afterEach(async () => {
      await bench.close();
      server.closeAllConnections();
      server.close();
    });

    it('ends the connection if a message has many values', async () => {
      const lineEnd = type === 'http' ? '\r\n\uFEFFdata: ' : '\n';
      batch = request(902, `[${`${'[],'.repeat(100_000)}${lineEnd}`.repeat(4)}1]`);
      await bench.connection.start();
      await bench.reaches('reconnecting');
      assert.match(bench.log.lines.join(), /a message has more than 250000 values/);
      assert.deepEqual(answers, []);
    });

    it('is read in its order, and its requests are answered', async () => {
      await bench.connection.start();
      await answered.promise;
      assert.equal(bench.text, 'one \u2028two');
      assert.deepEqual(
        answers.map(({ id, error }) => [id, (error as { code: number }).code]),
        [
          [900, -32_601],
          [901, -32_601],
        ],
      );
    });
  });
}

const initialized = ({ id }: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1, agentCapabilities: {} } });

function socketAgent(receive: (message: JsonObject) => void): Server {
  const server = createServer();
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as JsonObject;
      receive(message);
      if (message['method'] !== 'initialize') return;
      socket.send(initialized(message));
      socket.send(batch);
    });
  });
  return server;
}

function httpAgent(receive: (message: JsonObject) => void): Server {
  return createServer((incoming, response) => {
    if (incoming.method === 'POST') void post(incoming, response);
    else if (incoming.method === 'GET') sendInParts(response);
    else response.writeHead(202).end();
  });
  async function post(incoming: Parameters<typeof json>[0], response: ServerResponse): Promise<void> {
    const message = (await json(incoming)) as JsonObject;
    receive(message);
    if (message['method'] !== 'initialize') response.writeHead(202).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json', 'acp-connection-id': 'c' })
        .end(initialized(message));
  }
}

/** In chunks that split lines and characters. */
function sendInParts(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const bytes = Buffer.from(`: hello\r\n\r\ndata: ${batch}\r\n\r\n`);
  for (let at = 0; at < bytes.length; at += 997) response.write(bytes.subarray(at, at + 997));
}
