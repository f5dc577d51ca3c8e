import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, inputRequired, McpServer as ModernServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createDeferred } from '../../../../src/base/async';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import type { Bench } from '../sample';
import { createBench } from '../sample';
import { WAYS } from '../transport/transports';
import { end, HandServer, listen, node, send } from './testServers';
import { holds, PersonBench } from './userServersBench';

/** Resources, prompts and elicitation of a user server, forwarded by Parley. */
describe('resources and prompts of a server', function () {
  let person: PersonBench;
  let hand: HandServer;
  let bench: Bench;
  let url: string;

  beforeEach(async () => {
    person = new PersonBench();
    hand = new HandServer();
    url = await hand.open();
    bench = createBench();
    Object.assign(hand.answers, {
      initialize: ({ protocolVersion }: { protocolVersion: string }) => ({
        protocolVersion,
        capabilities: { tools: {}, resources: { listChanged: true, subscribe: true }, prompts: { listChanged: true } },
        serverInfo: { name: 'hand', version: '1' },
      }),
      'resources/list': () => ({ resources: documents }),
      'resources/templates/list': () => ({
        resourceTemplates: [
          { uriTemplate: 'db://{table}/{row}', name: 'row' },
          { uriTemplate: '{{{', name: 'odd' },
        ],
      }),
      'resources/read': ({ uri }: { uri: string }) => ({ contents: [contents[uri] ?? { uri, text: `row ${uri}` }] }),
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
      'prompts/list': () => ({
        prompts: [{ name: 'review', arguments: [{ name: 'file', required: true }] }, { name: 'constructor' }],
      }),
      'prompts/get': ({ arguments: values }: { arguments: { file: string } }) => ({
        messages: [
          { role: 'user', content: { type: 'text', text: `Review ${values.file}` } },
          { role: 'assistant', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
        ],
      }),
    });
  });
  afterEach(async () => {
    await bench.hostedServers.dispose();
    person.dispose();
    hand.close();
  });

  const PIXEL = 'iVBORw0KGgo=';
  let documents = [
    { uri: 'file:///a.txt', name: 'a', mimeType: 'text/plain' },
    { uri: 'file:///b.png', name: 'b', mimeType: 'image/png' },
  ];
  const contents: Record<string, object> = {
    'file:///a.txt': { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'the text' },
    'file:///b.png': { uri: 'file:///b.png', mimeType: 'image/png', blob: PIXEL },
  };

  /** The server as the only one of a session, and an MCP client of 2025 connected to it. */
  async function served(): Promise<{ server: UserServer; client: OldClient }> {
    const server = await ready();
    const client = new OldClient({ name: 'agent', version: '1' });
    const way = WAYS.find(({ name }) => name === 'ACP with connections');
    await client.connect(await way!.open(bench, '2025'));
    return { server, client };
  }

  async function ready(): Promise<UserServer> {
    const server = person.serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    bench.gate.hidden.add('sample');
    bench.servers.add(server, 'person');
    return server;
  }

  it('are forwarded unchanged: texts, binary resources, templates, prompts with all their messages', async () => {
    const { client } = await served();
    assert.deepEqual((await client.listResources()).resources.map(({ uri }) => uri).slice(0, 2), [
      'file:///a.txt',
      'file:///b.png',
    ]);
    assert.deepEqual((await client.readResource({ uri: 'file:///a.txt' })).contents, [contents['file:///a.txt']]);
    assert.deepEqual((await client.readResource({ uri: 'file:///b.png' })).contents, [contents['file:///b.png']]);
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    assert.ok(templates.includes('db://{table}/{row}'));
    assert.deepEqual((await client.readResource({ uri: 'db://people/7' })).contents, [
      { uri: 'db://people/7', text: 'row db://people/7' },
    ]);
    assert.deepEqual(
      (await client.listPrompts()).prompts.map(({ name }) => name),
      ['review'],
    );
    const { messages } = await client.getPrompt({ name: 'review', arguments: { file: 'x.ts' } });
    assert.deepEqual(messages, [
      { role: 'user', content: { type: 'text', text: 'Review x.ts' } },
      { role: 'assistant', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
    ]);
  });

  it('are hidden if the server is disabled or denied; requests for them return not-found', async () => {
    const { client } = await served();
    bench.gate.hidden.add('mine');
    bench.gate.changed.fire();
    const { resources } = await client.listResources();
    assert.deepEqual(resources, []);
    assert.deepEqual((await client.listPrompts()).prompts, []);
    assert.deepEqual((await client.listTools()).tools, []);
    await assert.rejects(client.readResource({ uri: 'file:///a.txt' }), /not found|disabled/i);
    await assert.rejects(client.readResource({ uri: 'db://people/7' }), /not found|disabled/i);
    await assert.rejects(client.getPrompt({ name: 'review', arguments: { file: 'x' } }), /not found/i);
    const called = await client.callTool({ name: 'add', arguments: {} }).catch((error: Error) => error);
    assert.match(called instanceof Error ? called.message : JSON.stringify(called), /not found/i);
    assert.deepEqual([hand.count('resources/read'), hand.count('prompts/get'), hand.count('tools/call')], [0, 0, 0]);
  });

  it('fail with a short error, whatever the server writes', async () => {
    const { client } = await served();
    hand.answers['resources/read'] = hand.answers['prompts/get'] = () => {
      throw Object.assign(new Error('e'.repeat(1_500_000)), { code: -32_050, data: 'd'.repeat(1_500_000) });
    };
    const isShort = ({ message, code, data }: { message: string; code?: number; data?: unknown }): boolean =>
      message.length < 2_000 && /e{900}…$/.test(message) && code === -32_050 && data === undefined;
    await assert.rejects(client.readResource({ uri: 'file:///a.txt' }), isShort);
    await assert.rejects(client.readResource({ uri: 'db://people/7' }), isShort);
    await assert.rejects(client.getPrompt({ name: 'review', arguments: { file: 'x' } }), isShort);
  });

  it('follow list changes of the server', async () => {
    const { client } = await served();
    const told = new Promise<void>((resolve) =>
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => resolve()),
    );
    documents = [{ uri: 'file:///c.txt', name: 'c', mimeType: 'text/plain' }];
    hand.tell('notifications/resources/list_changed');
    await told;
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['file:///c.txt'],
    );
    await assert.rejects(client.readResource({ uri: 'file:///b.png' }), /not found/i);
  });

  it('can be subscribed to; the agent is notified until the last subscriber ends', async () => {
    const { client, server } = await served();
    const told: string[] = [];
    const next = (): Promise<void> =>
      new Promise((resolve) =>
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
          told.push(params.uri);
          resolve();
        }),
      );
    await client.subscribeResource({ uri: 'db://people/7' });
    const own = server.watch('db://people/7');
    await hand.came('resources/subscribe');
    const first = next();
    hand.tell('notifications/resources/updated', { uri: 'db://people/8' });
    hand.tell('notifications/resources/updated', { uri: 'db://people/7' });
    await first;
    assert.deepEqual(told, ['db://people/7']);
    await client.unsubscribeResource({ uri: 'db://people/7' });
    assert.equal(hand.count('resources/unsubscribe'), 0, 'somebody else listens still');
    own.dispose();
    await hand.came('resources/unsubscribe');
    assert.equal(hand.count('resources/subscribe'), 1);
  });

  it('are subscribed to again for an agent of 2026-07-28, and after a reconnection', async () => {
    const server = await ready();
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const way = WAYS.find(({ name }) => name === 'ACP without connections');
    await client.connect(await way!.open(bench, '2026'));
    const told = new Promise<string>((resolve) =>
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri)),
    );
    await client.listen({ resourceSubscriptions: ['file:///a.txt'] });
    await hand.came('resources/subscribe');
    await server.shutdown();
    await server.prepare(true);
    await hand.came('resources/subscribe', 2);
    hand.tell('notifications/resources/updated', { uri: 'file:///a.txt' });
    assert.equal(await told, 'file:///a.txt');
  });
});

/** A server that requests a form, and operations that do not exist. */
const ASKING = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'asking', version: '1.0.0' });
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const schema = { type: 'object', properties: { city: { type: 'string', title: 'City' }, days: { type: 'integer', minimum: 1 } }, required: ['city'] };
server.registerTool('form', {}, async () => text(await server.server.elicitInput({ mode: 'form', message: 'Where to?', requestedSchema: schema })));
server.registerTool('sample', {}, async () => server.server.createMessage({ messages: [], maxTokens: 1 }).then(text, (error) => text({ message: error.message })));
await server.connect(new StdioServerTransport());
`;

describe('elicitation by a server', function () {
  let person: PersonBench;
  beforeEach(() => {
    person = new PersonBench();
  });
  afterEach(() => person.dispose());

  async function asking(): Promise<UserServer> {
    const server = person.serve(node(ASKING), { name: 'travel' });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    return server;
  }

  it('is shown as a form in the chat of the call, with the server’s name, and pauses the time limit', async () => {
    const server = await asking();
    person.answer = { action: 'accept', content: { city: 'Rome', days: 3 } };
    const { text: said } = await person.call(server, 'form');
    assert.deepEqual(JSON.parse(said), { action: 'accept', content: { city: 'Rome', days: 3 } });
    const [request] = person.asked;
    assert.equal(request?.from, 'The MCP server “travel”');
    assert.deepEqual(request?.question, {
      mode: 'form',
      fields: [
        { key: 'city', label: 'City', required: true, type: 'text' },
        { key: 'days', label: 'days', required: false, type: 'number', whole: true, minimum: 1 },
      ],
    });
    assert.equal(person.waits, 1);
    person.answer = { action: 'decline' };
    assert.deepEqual(JSON.parse((await person.call(server, 'form')).text), { action: 'decline' });
  });

  it('is rejected if no call of it runs, or if it cannot be shown', async () => {
    const hand = new HandServer();
    const server = person.serve({ type: 'http', url: await hand.open(), headers: {} });
    await server.prepare(true);
    const form = (properties: object): object => ({ message: 'm', requestedSchema: { type: 'object', properties } });
    const late = await hand.ask('elicitation/create', form({ a: { type: 'string' } }));
    assert.match(late.error?.message ?? '', /asked only while a tool of this server is called/);
    assert.equal(late.error?.code, -32_600);
    hand.answers['tools/call'] = async () => {
      const answer = await hand.ask('elicitation/create', { message: 'm', requestedSchema: { type: 'array' } });
      return { content: [{ type: 'text', text: `${answer.error?.code} ${answer.error?.message}` }] };
    };
    const { text: said } = await person.call(server, 'add');
    assert.match(said, /^-32602 .*"requestedSchema" must be of type "object"/);
    assert.deepEqual(person.asked, []);
    hand.close();
  });

  it('is rejected if calls of several chats run, because its chat is unknown', async () => {
    const hand = new HandServer();
    const server = person.serve({ type: 'http', url: await hand.open(), headers: {} });
    await server.prepare(true);
    let waiting = 0;
    const both = createDeferred<void>();
    hand.answers['tools/call'] = async () => {
      waiting += 1;
      if (waiting === 2) {
        const answer = await hand.ask('elicitation/create', {
          message: 'm',
          requestedSchema: { type: 'object', properties: {} },
        });
        assert.match(answer.error?.message ?? '', /Several chats call this server/);
        both.resolve();
      }
      await both.promise;
      return { content: [{ type: 'text', text: 'ok' }] };
    };
    const { signal } = new AbortController();
    const [tool] = server.tools;
    await Promise.all(['s1', 's2'].map((id) => tool!.call({}, person.context(signal, id))));
    assert.deepEqual(person.asked, []);
    hand.close();
  });

  it('is rejected for sampling, which Parley does not support', async () => {
    const server = await asking();
    assert.match((await person.call(server, 'sample')).text, /does not answer sampling/);
  });

  it('is shown to the user also for a server of 2026-07-28', async () => {
    const handler = createMcpHandler(
      () => {
        const mcp = new ModernServer({ name: 'new', version: '1.0.0' });
        const requestedSchema = { type: 'object' as const, properties: { city: { type: 'string' as const } } };
        mcp.registerTool('trip', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
          const given = mcpReq.inputResponses?.['where'];
          if (given) return { content: [{ type: 'text', text: JSON.stringify(given) }] };
          const params = { mode: 'form' as const, message: 'Where to?', requestedSchema };
          return inputRequired({ inputRequests: { where: inputRequired.elicit(params) } });
        });
        return mcp;
      },
      { legacy: 'reject' },
    );
    const web = createServer((request, response) => {
      void (async () => {
        const body = request.method === 'POST' ? await text(request) : undefined;
        const headers = Object.entries(request.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        const init = { method: request.method ?? 'GET', headers, ...(body !== undefined && { body }) };
        const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, init));
        send(answer, response);
      })();
    });
    const url = await listen(web);
    const server = person.serve({ type: 'http', url, headers: {} });
    try {
      await server.prepare(true);
      await holds(server, () => server.state === 'ready');
      person.answer = { action: 'accept', content: { city: 'Oslo' } };
      assert.match((await person.call(server, 'trip')).text, /Oslo/);
      assert.equal(person.asked[0]?.message, 'Where to?');
    } finally {
      end(web);
    }
  });
});
