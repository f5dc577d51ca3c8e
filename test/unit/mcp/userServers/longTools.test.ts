import assert from 'node:assert/strict';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import type { ToolResult } from '../../../../src/session/toolServer';
import { settled, until } from '../../../kit/waiting';
import { GateBench } from '../calls/gateBench';
import { HandServer, node } from './testServers';
import { PersonBench } from './userServersBench';

/** A tool that reports progress for each line of `go`, and ends only when it is canceled. */
const SLOW = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'slow', version: '1.0.0' });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
let canceled = 'nothing was canceled';
let report = async () => {};
server.registerTool('work', { inputSchema: {} }, (_args, { signal, sendNotification, _meta }) => new Promise(() => {
  signal.addEventListener('abort', () => (canceled = 'work was canceled'));
  let progress = 0;
  const { progressToken } = _meta;
  report = () => sendNotification({ method: 'notifications/progress', params: { progressToken, progress: ++progress, total: 4, message: 'step ' + progress } });
  void report();
}));
server.registerTool('step', { inputSchema: {} }, async () => { await report(); return text('ok'); });
server.registerTool('canceled', { inputSchema: {} }, async () => text(canceled));
server.registerTool('fail', { inputSchema: {} }, async () => ({ ...text('no such table'), isError: true }));
await server.connect(new StdioServerTransport());
`;
const MINUTE = 60_000;

describe('a tool of a user server that takes long', () => {
  let person: PersonBench;
  let bench: GateBench;
  let server: UserServer;

  beforeEach(async () => {
    person = new PersonBench();
    bench = new GateBench();
    server = person.serve(node(SLOW));
    await server.prepare(true);
    assert.equal(server.state, 'ready');
  });
  afterEach(() => person.dispose());

  /** A call through the gate that the user allows. */
  async function call(name: string, signal = new AbortController().signal): Promise<ToolResult> {
    const tool = server.tools.find((one) => one.name === name);
    assert.ok(tool);
    const registered = { name: 'mine', server, origin: 'person' } as const;
    const progress = (message: string, done?: number): number => bench.progress.push(`${message} ${done}`);
    const session = bench.session();
    const result = bench.gate.call({ session, registered, tool, input: {}, signal, progress });
    await settled();
    bench.answer();
    return result;
  }

  const reported = (count: number): Promise<void> => until(() => bench.progress.length === count);

  it('runs on while the server reports progress, which the agent gets', async () => {
    const result = call('work');
    await reported(1);
    for (let step = 2; step <= 4; step += 1) {
      await bench.clock.pass(10 * MINUTE - 1);
      await call('step');
      await reported(step);
    }
    assert.deepEqual(bench.progress, ['step 1 0.25', 'step 2 0.5', 'step 3 0.75', 'step 4 1']);
    assert.equal((await call('canceled')).text, 'nothing was canceled');
    await bench.clock.pass(10 * MINUTE);
    const { text, isError } = await result;
    assert.equal(isError, true);
    assert.match(text, /^mine__work reported nothing for 600 seconds and was canceled\. It is not known whether/);
    assert.equal((await call('canceled')).text, 'work was canceled');
  });

  it('is canceled at the server when the agent cancels', async () => {
    const abort = new AbortController();
    const result = call('work', abort.signal);
    await reported(1);
    abort.abort();
    assert.equal((await result).isError, true);
    assert.equal((await call('canceled')).text, 'work was canceled');
  });

  it('gives its own error to the agent as such', async () => {
    const { text, isError } = await call('fail');
    assert.deepEqual([text, isError], ['no such table', true]);
    const last = bench.audit.at(-1);
    assert.equal(last?.outcome, 'error');
  });
});

describe('the lists of a user server', () => {
  it('are read to their last page', async () => {
    const person = new PersonBench();
    const hand = new HandServer();
    const paged =
      (field: string, entry: (name: string) => object) =>
      ({ cursor }: Record<string, unknown>) =>
        cursor === undefined
          ? { [field]: [entry('one')], nextCursor: 'next' }
          : { [field]: [entry(cursor === 'next' ? 'two' : 'wrong')] };
    Object.assign(hand.answers, {
      initialize: ({ protocolVersion }: { protocolVersion: string }) => ({
        protocolVersion,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'hand', version: '1' },
      }),
      'tools/list': paged('tools', (name) => ({ name, inputSchema: { type: 'object' } })),
      'resources/list': paged('resources', (name) => ({ uri: `note://${name}`, name })),
      'resources/templates/list': paged('resourceTemplates', (name) => ({ uriTemplate: `${name}://{id}`, name })),
      'prompts/list': paged('prompts', (name) => ({ name })),
    });
    try {
      const server = person.serve({ type: 'http', url: await hand.open(), headers: {} });
      await server.prepare(true);
      const listed = [server.tools, server.resources, server.templates, server.prompts()];
      for (const list of listed)
        assert.deepEqual(
          list.map(({ name }) => name),
          ['one', 'two'],
        );
    } finally {
      person.dispose();
      hand.close();
    }
  });
});
