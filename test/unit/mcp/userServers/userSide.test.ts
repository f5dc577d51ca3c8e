import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ContentBlock, Progress } from '@modelcontextprotocol/sdk/types.js';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import { omitUndefined } from '../../../../src/base/json';
import type { Logger } from '../../../../src/base/logger';
import { nullLogger } from '../../../../src/base/logger';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import { TestClock } from '../../../kit/testClock';
import { settled, until } from '../../../kit/waiting';
import type { Bench } from '../sample';
import { createBench } from '../sample';
import { WAYS } from '../transport/transports';
import { HandServer } from './testServers';
import type { Served } from './userServersBench';
import { holds, PersonBench } from './userServersBench';

/** What a host owes its user and agents beside the calls of tools: metadata, all pages, completion, messages, roots, ping. */
describe('a user server that goes through Parley: the rest of the protocol', () => {
  let person: PersonBench;
  let hand: HandServer;
  let url: string;
  let bench: Bench;

  beforeEach(async () => {
    person = new PersonBench();
    hand = new HandServer();
    url = await hand.open();
    bench = createBench();
    hand.answers['initialize'] = ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      serverInfo: { name: 'hand', version: '1' },
    });
    hand.answers['prompts/list'] = () => ({ prompts: [] });
    hand.answers['resources/list'] = () => ({ resources: [] });
    hand.answers['resources/templates/list'] = () => ({ resourceTemplates: [] });
  });
  afterEach(async () => {
    await bench.hostedServers.dispose();
    person.dispose();
    hand.close();
  });

  async function ready(choices: Served = {}): Promise<UserServer> {
    const server = person.serve({ type: 'http', url, headers: {} }, choices);
    await server.prepare(true);
    return server;
  }

  /** An agent whose only server this is. */
  async function agentOf(server: UserServer): Promise<Client> {
    bench.gate.hidden.add('sample');
    bench.servers.add(server, 'person');
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(await WAYS.find(({ name }) => name === 'ACP with connections')!.open(bench, '2025'));
    return client;
  }

  const icons = [{ src: 'data:image/png;base64,AA==', mimeType: 'image/png', sizes: ['48x48'] }];
  const _meta = { 'example.com/kind': { deep: [1] } };

  it('passes metadata on unchanged', async () => {
    const tool = {
      name: 'add',
      description: 'Adds',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
      annotations: { title: 'Adder', readOnlyHint: true },
      icons,
      _meta,
    };
    const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' };
    const resource = { uri: 'X://Host/a b', name: 'a', size: 12, annotations, icons, _meta };
    const template = { uriTemplate: 'db://{row}', name: 'row', title: 'Row', mimeType: 'text/csv', annotations, _meta };
    const args = [{ name: 'file' }, { name: 'how', description: 'How', required: true }];
    const prompt = { name: 'review', title: 'Review', arguments: args, icons, _meta };
    hand.tools = [tool];
    hand.answers['resources/list'] = () => ({ resources: [resource] });
    hand.answers['resources/templates/list'] = () => ({ resourceTemplates: [template] });
    hand.answers['prompts/list'] = () => ({ prompts: [prompt] });
    hand.answers['prompts/get'] = () => ({ description: 'So', messages: [], _meta });
    hand.answers['tools/call'] = () => ({ content: [{ type: 'text', text: 'no' }], isError: true, _meta });
    const agent = await agentOf(await ready());
    const [listed] = (await agent.listTools()).tools;
    const { inputSchema, ...rest } = listed ?? assert.fail('no tool');
    const { inputSchema: _own, ...said } = tool;
    assert.deepEqual(omitUndefined(rest), said);
    assert.deepEqual(inputSchema.properties?.['a'], { type: 'number' });
    assert.deepEqual((await agent.listResources()).resources, [resource], 'no mimeType is invented');
    const templates = (await agent.listResourceTemplates()).resourceTemplates;
    assert.deepEqual(
      templates.find(({ name }) => name === 'row'),
      template,
    );
    assert.deepEqual((await agent.listPrompts()).prompts, [prompt]);
    const got = await agent.getPrompt({ name: 'review', arguments: { how: 'well' } });
    assert.deepEqual([got.description, got._meta], ['So', _meta]);
    const called = await agent.callTool({ name: 'add', arguments: { a: 1 } });
    assert.deepEqual([called.isError, called._meta, called.content], [true, _meta, [{ type: 'text', text: 'no' }]]);
    await assert.rejects(agent.getPrompt({ name: 'review' }), /needs the argument how/);
  });

  it('leaves out metadata of a wrong type, for which agents would refuse the whole list', async () => {
    hand.answers['resources/list'] = () => ({
      resources: [
        { uri: 'x://a', name: 'a', title: 5, size: -1, icons: [{}], annotations: { priority: 7, audience: ['user'] } },
      ],
    });
    hand.answers['prompts/list'] = () => ({ prompts: [{ name: 'p', arguments: [{ name: 1 }], _meta: 'x' }] });
    const agent = await agentOf(await ready());
    assert.deepEqual((await agent.listResources()).resources, [
      { uri: 'x://a', name: 'a', annotations: { audience: ['user'] } },
    ]);
    assert.deepEqual((await agent.listPrompts()).prompts, [{ name: 'p' }]);
  });

  it('is listed with all pages', async () => {
    const pages: Record<string, readonly string[]> = { '': ['a', 'b'], second: ['c'], third: ['d'] };
    const next: Record<string, string | undefined> = { '': 'second', second: 'third' };
    const page = (cursor: unknown): readonly string[] => pages[typeof cursor === 'string' ? cursor : ''] ?? [];
    const after = (cursor: unknown): object =>
      omitUndefined({ nextCursor: next[typeof cursor === 'string' ? cursor : ''] });
    hand.answers['tools/list'] = ({ cursor }) => ({
      tools: page(cursor).map((name) => ({ name, inputSchema: { type: 'object' } })),
      ...after(cursor),
    });
    hand.answers['resources/list'] = ({ cursor }) => ({
      resources: page(cursor).map((name) => ({ uri: `x://${name}`, name })),
      ...after(cursor),
    });
    hand.answers['prompts/list'] = ({ cursor }) => ({
      prompts: page(cursor).map((name) => ({ name })),
      ...after(cursor),
    });
    const agent = await agentOf(await ready());
    const all = ['a', 'b', 'c', 'd'];
    assert.deepEqual(
      (await agent.listTools()).tools.map(({ name }) => name),
      all,
    );
    assert.deepEqual(
      (await agent.listResources()).resources.map(({ name }) => name),
      all,
    );
    assert.deepEqual(
      (await agent.listPrompts()).prompts.map(({ name }) => name),
      all,
    );
  });

  it('completes arguments of its prompts and variables of its templates, of no others', async () => {
    hand.answers['prompts/list'] = () => ({ prompts: [{ name: 'trip', arguments: [{ name: 'city' }] }] });
    hand.answers['resources/templates/list'] = () => ({
      resourceTemplates: [{ uriTemplate: 'db://{row}', name: 'row' }],
    });
    const asked: object[] = [];
    hand.answers['completion/complete'] = (params) => {
      asked.push(params);
      return { completion: { values: ['Bergen', 'Berlin'], total: 7, hasMore: true } };
    };
    const agent = await agentOf(await ready());
    assert.deepEqual(agent.getServerCapabilities()?.completions, {});
    const params = {
      ref: { type: 'ref/prompt' as const, name: 'trip' },
      argument: { name: 'city', value: 'Ber' },
      context: { arguments: { land: 'no' } },
    };
    const { completion } = await agent.complete(params);
    assert.deepEqual(completion, { values: ['Bergen', 'Berlin'], total: 7, hasMore: true });
    await agent.complete({ ref: { type: 'ref/resource', uri: 'db://{row}' }, argument: { name: 'row', value: '' } });
    assert.deepEqual(asked[0], params);
    assert.equal(asked.length, 2);
    const ref = { type: 'ref/prompt' as const, name: 'other' };
    await assert.rejects(agent.complete({ ...params, ref }), /not found/);
  });

  it('reports progress to the agent, and is told when the agent cancels', async () => {
    const canceled = createDeferred<void>();
    const called = createDeferred<void>();
    hand.answers['tools/call'] = async ({ _meta: meta }) => {
      const { progressToken } = meta as { progressToken: unknown };
      hand.tell('notifications/progress', { progressToken, progress: 1, total: 4, message: 'a quarter' });
      called.resolve();
      await hand.came('notifications/cancelled');
      canceled.resolve();
      return { content: [] as ContentBlock[] };
    };
    const server = await ready();
    await hand.opened;
    const agent = await agentOf(server);
    const seen: Progress[] = [];
    const abort = new AbortController();
    const onprogress = (progress: Progress): void => {
      seen.push(progress);
      abort.abort();
    };
    await assert.rejects(agent.callTool({ name: 'add' }, undefined, { onprogress, signal: abort.signal }));
    await canceled.promise;
    assert.deepEqual(seen, [{ progress: 0.25, total: 1, message: 'a quarter' }]);
  });

  it('writes its messages to the log by their level, and keeps the latest for the panel', async () => {
    const written: string[] = [];
    const write =
      (level: string): Logger['info'] =>
      (_tag, message) => {
        if (message.includes('reported')) written.push(`${level} ${message}`);
      };
    const log = { trace: write('trace'), info: write('info'), warn: write('warn'), error: write('error') };
    const server = await ready({ log });
    await hand.opened;
    let changes = 0;
    server.messages.onDidAdd(() => (changes += 1));
    hand.tell('notifications/message', { level: 'warning', logger: 'disk', data: 'almost full' });
    hand.tell('notifications/message', { level: 'critical', data: { full: true } });
    hand.tell('notifications/message', { level: 'odd', data: 'x'.repeat(10_000) });
    await until(() => changes === 3);
    assert.deepEqual(written.slice(0, 2), [
      'warn The MCP server “mine” reported (warning) disk: almost full',
      'error The MCP server “mine” reported (critical) {"full":true}',
    ]);
    const [odd, critical] = server.messages.latest;
    assert.deepEqual([odd?.level, odd?.text.length], ['info', 2_000]);
    assert.deepEqual([critical?.level, critical?.text], ['critical', '{"full":true}']);
  });

  it('cannot fill the log with messages', async () => {
    const warned: string[] = [];
    const clock = new TestClock();
    const server = await ready({ clock, log: { ...nullLogger, warn: (_tag, message) => void warned.push(message) } });
    for (let count = 0; count < 100; count++) server.messages.add({ level: 'warning', data: `${count}` });
    assert.equal(warned.length, 20);
    clock.advance(1_000);
    server.messages.add({ level: 'warning', data: 'last' });
    assert.match(warned[20] ?? '', /Skipped 80 messages/);
    assert.equal(server.messages.latest.length, 21);
  });

  it('is told when the folders of the window change', async () => {
    let folders = ['/app'];
    const changed = new Emitter<unknown>();
    await ready({ folders: () => folders, onDidChangeFolders: changed.event });
    await hand.opened;
    folders = ['/app', '/lib'];
    changed.fire(undefined);
    await hand.came('notifications/roots/list_changed');
    const { result } = await hand.ask('roots/list', {});
    assert.deepEqual(result, { roots: [{ uri: 'file:///app' }, { uri: 'file:///lib' }] });
  });

  it('is pinged while it is idle, and connected again if it does not answer', async () => {
    const clock = new TestClock();
    const server = await ready({ clock });
    hand.answers['ping'] = () => ({});
    clock.advance(60_000);
    await hand.came('ping');
    await until(() => clock.waiting > 0, 'it was answered, and the next one is to come');
    assert.equal(server.state, 'ready');
    hand.close();
    const lost = holds(server, () => server.state !== 'ready');
    clock.advance(60_000);
    await lost;
    assert.match(server.state ?? '', /stopped answering.*retrying/);
  });

  it('is not pinged while it works on a call, which it may do without answering anything else', async () => {
    const clock = new TestClock();
    const server = await ready({ clock });
    const called = createDeferred<void>();
    const over = createDeferred<void>();
    hand.answers['tools/call'] = async () => {
      called.resolve();
      await over.promise;
      return { content: [] };
    };
    const call = person.call(server, 'add');
    await called.promise;
    clock.advance(59_000);
    clock.advance(59_000);
    await settled();
    assert.equal(hand.count('ping'), 0);
    over.resolve();
    await call;
    clock.advance(60_000);
    await hand.came('ping');
  });
});
