import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { TrafficConnection } from '../../../src/agent/connection/trafficConnections';
import { TrafficConnections } from '../../../src/agent/connection/trafficConnections';
import { nullLogger } from '../../../src/base/logger';
import { Redactor } from '../../../src/base/redactor';
import { RecordedMcpConnection } from '../../../src/mcp/contract/recordedMcpConnection';
import type { TrafficFilter, TrafficRow } from '../../../src/shared/traffic/trafficEntries';
import { entryText, matchesTrafficFilter, RequestIndex } from '../../../src/shared/traffic/trafficEntries';
import { createBench } from './sample';
import type { WayUnderTest } from './transport/transports';
import { WAYS } from './transport/transports';
import { httpServer, modernServer, node, realServer, sseServer } from './userServers/testServers';
import { holds, noSecrets, PersonBench } from './userServers/userServersBench';

const ELICITS = `
process.stdin.on('data', (chunk) => {
  for (const line of String(chunk).split('\\n').filter(Boolean)) answer(JSON.parse(line));
});
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
let call;
function answer({ id, method, result }) {
  if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'asks', version: '1' } } });
  else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'ask_pet', inputSchema: { type: 'object' } }] } });
  else if (method === 'tools/call') {
    call = id;
    say({ id: 'e', method: 'elicitation/create', params: { message: 'Which pet?', requestedSchema: { type: 'object', properties: { pet: { type: 'string' } } } } });
  } else if (id === 'e') say({ id: call, result: { content: [{ type: 'text', text: result.action }] } });
}
`;

describe('the traffic of MCP connections', () => {
  let connections: TrafficConnections;
  let redactor: Redactor;
  let isRecording: boolean;
  const traffic = () => ({ connections, redactor, isRecording: () => isRecording });

  beforeEach(() => {
    connections = new TrafficConnections();
    redactor = new Redactor();
    isRecording = true;
  });
  afterEach(() => connections.dispose());

  const listed = (): string[] => connections.all().map(({ title, status }) => `${title}: ${status}`);

  /** The rows of a connection, as the page has them. */
  function rowsOf(connection: TrafficConnection | undefined, filter: Partial<TrafficFilter> = {}): TrafficRow[] {
    const index = new RequestIndex();
    for (const entry of connection?.ring.entries() ?? []) index.add(entry);
    const complete = { text: '', errorsOnly: false, ...filter };
    return index.rows.filter((row) => matchesTrafficFilter(row, complete, (entry) => entryText(entry).toLowerCase()));
  }

  const short = (rows: readonly TrafficRow[]): string[] =>
    rows.map(({ entry, kind, method = '' }) => `${entry.dir} ${kind} ${method}`.trim());

  describe('of a server for an agent', () => {
    for (const way of WAYS)
      for (const era of way.eras) it(`over ${way.name} (${era}) has each message once`, () => ends(way, era));

    async function ends(way: WayUnderTest, era: '2025' | '2026'): Promise<void> {
      const bench = createBench(nullLogger, traffic());
      try {
        const client =
          era === '2025'
            ? new OldClient({ name: 'a', version: '1' })
            : new Client({ name: 'a', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
        await client.connect(await way.open(bench, era));
        await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
        await client.callTool({ name: 'fail', arguments: {} });
        // A client may try the server in a process of its own first.
        const connection = connections.all().at(-1);
        assert.equal(listed().at(-1), 'MCP server “sample”: ready');
        const calls = rowsOf(connection, { method: 'tools/call' });
        const pair = ['in request tools/call', 'out response tools/call'];
        assert.deepEqual(short(calls), [...pair, ...pair]);
        assert.ok(calls.every(({ duration }) => duration !== undefined));
        assert.deepEqual(short(rowsOf(connection, { text: '"sum":3' })), ['out response tools/call']);
        await client.close();
      } finally {
        await bench.hostedServers.dispose();
      }
      assert.equal(listed().at(-1), 'MCP server “sample”: stopped', 'it can still be read');
    }
  });

  describe('of a server of the user', () => {
    let bench: PersonBench;
    const closing: (() => void)[] = [];
    beforeEach(() => (bench = new PersonBench()));
    afterEach(() => {
      bench.dispose();
      for (const close of closing.splice(0)) close();
    });

    it('over stdio has its messages, stderr and other lines, and its end', async () => {
      const server = bench.serve(realServer(), { traffic: traffic() });
      await server.prepare(true);
      assert.deepEqual(listed(), ['MCP server “mine”: ready']);
      assert.equal((await bench.call(server, 'echo', { what: 'hi' })).text, 'hi');
      const [connection] = connections.all();
      assert.deepEqual(short(rowsOf(connection)).slice(0, 4), [
        'out request initialize',
        'in noise',
        'in response initialize',
        'out notification notifications/initialized',
      ]);
      assert.deepEqual(short(rowsOf(connection, { method: 'tools/call' })), [
        'out request tools/call',
        'in response tools/call',
      ]);
      await assert.rejects(bench.call(server, 'die'));
      assert.deepEqual(short(rowsOf(connection, { text: 'last words' })), ['in stderr']);
      assert.equal(listed()[0], 'MCP server “mine”: failed');
      await holds(server, () => server.state === 'ready');
      assert.deepEqual(listed(), ['MCP server “mine”: failed', 'MCP server “mine”: ready']);
      await server.shutdown();
      assert.equal(listed()[1], 'MCP server “mine”: stopped');
    });

    it('over HTTP of each kind has its messages in one connection', async () => {
      const servers = [await httpServer(), await sseServer(), await modernServer()];
      for (const [index, { url, close }] of servers.entries()) {
        closing.push(close);
        const server = bench.serve({ type: 'http', url, headers: {} }, { name: `s${index}`, traffic: traffic() });
        await server.prepare(true);
        assert.equal(server.state, 'ready');
      }
      const all = connections.all();
      assert.deepEqual(
        listed(),
        ['s0', 's1', 's2'].map((name) => `MCP server “${name}”: ready`),
      );
      for (const connection of all)
        assert.deepEqual(short(rowsOf(connection, { method: 'tools/list' })), [
          'out request tools/list',
          'in response tools/list',
        ]);
      assert.deepEqual(short(rowsOf(all[2], { method: 'server/discover' })), [
        'out request server/discover',
        'in response server/discover',
      ]);
    });

    it('has no secrets: known values, tokens, and what the user enters in its forms', async () => {
      const secrets = {
        ...noSecrets,
        hide: (values: Readonly<Record<string, string>>) => redactor.add(Object.values(values)),
      };
      const start = realServer({ NOTE: 'hush-hush-1' });
      const server = bench.serve(start, { secrets, traffic: traffic() });
      await server.prepare(true);
      assert.equal((await bench.call(server, 'env')).text, 'hush-hush-1');
      await bench.call(server, 'echo', { what: 'Authorization: Bearer abc.def-1', apiKey: 'plain-secret-2' });
      bench.answer = { action: 'accept', content: { pet: 'Rex' } };
      const asking = bench.serve(node(ELICITS), { traffic: traffic() });
      await asking.prepare(true);
      assert.equal((await bench.call(asking, 'ask_pet')).text, 'accept');
      const text = JSON.stringify(connections.all().map(({ ring }) => ring.entries()));
      assert.doesNotMatch(text, /hush-hush|abc\.def|plain-secret|Rex/);
      assert.match(text, /Which pet\?/);
    });

    it('is not recorded while recording is off', async () => {
      isRecording = false;
      const server = bench.serve(realServer(), { traffic: traffic() });
      await server.prepare(true);
      assert.deepEqual([listed(), connections.all()[0]?.ring.size], [['MCP server “mine”: ready'], 0]);
    });
  });

  it('hide the answer that the user gave to the tool "ask"', async () => {
    const recorded = new RecordedMcpConnection(traffic(), 'user', 'ready');
    const sent: unknown[] = [];
    const transport = {
      onmessage: undefined as ((message: object) => void) | undefined,
      send: async (message: object) => void sent.push(message),
    };
    recorded.follow(transport);
    Object.assign(transport, { onmessage: () => undefined });
    transport.onmessage?.({
      id: 1,
      method: 'tools/call',
      params: { name: 'ask', arguments: { question: 'Which one?' } },
    });
    const structuredContent = { answer: 'the red one' };
    await transport.send({ id: 1, result: { content: [{ type: 'text', text: 'the red one' }], structuredContent } });
    const text = JSON.stringify(recorded.traffic.entries());
    assert.match(text, /Which one\?/);
    assert.doesNotMatch(text, /the red one/);
    assert.match(JSON.stringify(sent), /the red one/);
  });
});
