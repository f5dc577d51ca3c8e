import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import { HandServer, node } from './testServers';
import { PersonBench } from './userServersBench';

/** Each message in a batch of its own. */
const BATCHES = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 'b', version: '1' } },
  'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify([{ jsonrpc: '2.0', id, result: answers[method] ?? {} }]));
});
`;

/** Texts and requests without end, which would fill the page, the log, the stored lists or the context of a model. */
describe('a server that sends too much', () => {
  let bench: PersonBench;
  let hand: HandServer;
  let url: string;
  const long = 'x'.repeat(1_500_000);
  const form = { requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };

  beforeEach(async () => {
    bench = new PersonBench();
    hand = new HandServer();
    url = await hand.open();
  });
  afterEach(() => {
    bench.dispose();
    hand.close();
  });

  it('has its texts shortened, and too large definitions skipped', async () => {
    const inputSchema = { type: 'object' };
    hand.answers['initialize'] = ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'hand', title: long, version: long },
      instructions: long,
    });
    hand.tools = [
      { name: 'add', title: long, description: long, inputSchema },
      { name: 'sub', annotations: { title: long.slice(0, 10_000) }, inputSchema },
      { name: 'big', inputSchema: { type: 'object', description: long } },
      ...Array.from({ length: 90 }, (_one, index) => ({
        name: `n${index}`,
        inputSchema: { type: 'object', description: long.slice(0, 100_000) },
      })),
    ];
    const warned: string[] = [];
    const log = { ...nullLogger, warn: (_tag: string, message: string) => void warned.push(message) };
    const server = bench.serve({ type: 'http', url, headers: {} }, { log });
    await server.prepare(true);
    const [add, sub] = server.tools;
    assert.deepEqual(
      [server.title, server.instructions, add?.title, add?.description, sub?.title].map((text) => text?.length),
      [200, 32_768, 200, 32_768, 200],
    );
    assert.ok(!server.tools.some(({ name }) => name === 'big'));
    assert.ok(server.tools.length > 50 && server.tools.length < 90, 'the whole list has a limit');
    assert.match(warned.join('\n'), /^Skipped \d+ definitions of “mine”: they are too large$/);
  });

  it('may send its messages as a batch, as MCP 2025-03-26 allows', async () => {
    const server = bench.serve(node(BATCHES));
    await server.prepare(true);
    assert.deepEqual([server.state, server.tools.map(({ name }) => name)], ['ready', ['one']]);
  });

  it('has its errors shortened in its state and in the log', async () => {
    const warned: string[] = [];
    const log = { ...nullLogger, warn: (_tag: string, message: string) => void warned.push(message) };
    const server = bench.serve({ type: 'http', url, headers: {} }, { log });
    await server.prepare(true);
    hand.answers['tools/list'] = () => {
      throw new Error(long);
    };
    await server.refresh();
    assert.match(warned.at(-1) ?? '', /^Failed to list the MCP server “mine”: .*xxx…$/);
    hand.answers['initialize'] = hand.answers['tools/list'];
    const second = bench.serve({ type: 'http', url, headers: {} }, { log });
    await second.prepare(true);
    assert.match(second.state ?? '', /^failed: .*xxx…/);
    for (const text of [...warned, second.state ?? '']) assert.ok(text.length < 2_000, `${text.length} characters`);
  });

  it('can ask the user a limited number of times during a call', async () => {
    bench.answer = { action: 'cancel' };
    const server = bench.serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    const refused: unknown[] = [];
    hand.answers['tools/call'] = async () => {
      for (let time = 0; time < 30; time += 1) {
        const { error } = await hand.ask('elicitation/create', { message: 'Now?', ...form });
        if (error) refused.push(error.code, error.message);
      }
      return { content: [] };
    };
    for (let call = 1; call <= 2; call += 1) {
      await bench.call(server, 'add');
      assert.equal(bench.asked.length, call * 25);
      assert.equal(refused.length, call * 10);
    }
    assert.deepEqual(refused.slice(0, 2), [
      -32_600,
      'The user has been asked 25 times during this call, which is the limit.',
    ]);
  });

  it('can show the user neither a long text nor a long URL', async () => {
    const server = bench.serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    const answers: unknown[] = [];
    hand.answers['tools/call'] = async () => {
      const page = { mode: 'url', elicitationId: 'e', message: 'Open it' };
      for (const params of [
        { message: long.slice(0, 50_000), ...form },
        { message: long, ...form },
        { ...page, url: `https://example.com/${long.slice(0, 8_000)}` },
        { ...page, url: 'https://example.com/' },
      ]) {
        const { result, error } = await hand.ask('elicitation/create', params);
        answers.push(error?.code ?? (result as { action: string }).action);
      }
      return { content: [] };
    };
    await bench.call(server, 'add');
    assert.deepEqual(answers, ['accept', -32_602, 'decline', 'accept']);
    assert.deepEqual(
      bench.asked.map(({ message }) => message.length),
      [10_000, 7],
    );
  });
});
