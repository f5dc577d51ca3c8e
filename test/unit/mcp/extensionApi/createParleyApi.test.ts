import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer as OldServer, ResourceTemplate as OldTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { AgentConnection } from '../../../../src/agent/connection/agentConnection';
import { requestHandlers, initializeParams } from '../../../../src/agent/connection/initialize';
import { Emitter } from '../../../../src/base/event';
import { RpcError } from '../../../../src/base/jsonRpc';
import { nullLogger } from '../../../../src/base/logger';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { Tool, ToolServer } from '../../../../src/mcp/contract/toolServerTypes';
import { createParleyApi } from '../../../../src/mcp/extensionApi/createParleyApi';
import type { ApiMcpServer, ApiToolServer, ParleyApi } from '../../../../src/mcp/extensionApi/parleyApi';
import { VendorMethods } from '../../../../src/mcp/extensionApi/vendorMethods';
import type { HostedServer } from '../../../../src/mcp/host/hostedServer';
import type { McpRequest } from '../../../../src/mcp/host/inMemoryTransport';
import type { ElicitationRequest, PendingElicitation, SessionHandle } from '../../../../src/session/sessionHandle';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import { hostile } from '../../../kit/hostile';
import { stubOf } from '../../../kit/stubOf';
import { settled, until } from '../../../kit/waiting';
import type { Bench } from '../sample';
import { createBench, fakeSession } from '../sample';

const clock = {
  name: 'now',
  description: 'The time',
  inputSchema: { type: 'object', properties: { zone: { type: 'string' } } },
  call: ({ zone }: Readonly<Record<string, unknown>>) => `noon in ${String(zone)}`,
};
const server = (more: object = {}): ApiToolServer => ({ name: 'clock', title: 'Clock', tools: [clock], ...more });

describe('mcp/extensionApi/createParleyApi', () => {
  let servers: ToolServers;
  let vendor: VendorMethods;
  let api: ParleyApi;
  let errors: string[];
  beforeEach(() => {
    servers = new ToolServers();
    vendor = new VendorMethods(nullLogger);
    errors = [];
    const log = { ...nullLogger, error: (_tag: string, message: string) => void errors.push(message) };
    api = createParleyApi(servers, vendor, log, '1.0.0');
  });

  const call = (tool: Tool | undefined, input: object, more: Partial<ToolContext> = {}): Promise<ToolResult> => {
    assert.ok(tool);
    return tool.call(input, {
      session: fakeSession('s'),
      signal: new AbortController().signal,
      progress: () => undefined,
      approve: async () => undefined,
      waitForUser: (answer) => answer,
      ...more,
    });
  };
  const tools = (name = 'clock'): readonly Tool[] => servers.get(name)?.server.tools ?? [];
  /** The server of one session, once it has listed everything. */
  const inSessionOf = async (session = fakeSession('s')): Promise<ToolServer> => {
    const own = servers.get('clock')!.server.forSession!(session);
    await own.ready;
    return own;
  };

  it('matches the documentation', () => {
    assert.equal(readFileSync('docs/parley.d.ts', 'utf8'), readFileSync('src/mcp/extensionApi/parleyApi.ts', 'utf8'));
  });

  it('offers tools until they are disposed, and renames the second server with the same name', async () => {
    let changes = 0;
    servers.onDidChange(() => (changes += 1));
    const first = api.registerToolServer(server());
    const second = api.registerToolServer(server());
    assert.deepEqual(
      servers.list().map(({ name, origin }) => [name, origin]),
      [
        ['clock', 'extension'],
        ['clock-2', 'extension'],
      ],
    );
    assert.deepEqual(await call(tools()[0], { zone: 'UTC' }), { text: 'noon in UTC' });
    assert.equal(tools()[0]?.approval, 'policy');
    first.dispose();
    first.dispose();
    second.dispose();
    assert.deepEqual(servers.list(), []);
    assert.equal(changes, 4);
  });

  it('passes data, errors and the session to the extension', async () => {
    const seen: unknown[] = [];
    const giving = {
      ...clock,
      call: (_input: unknown, { session }: { session: { id: string; agent: string | undefined } }) => {
        seen.push([session.id, session.agent]);
        return { text: 'a', structured: { a: 1 }, isError: true, more: 1 };
      },
    };
    const odd = { ...clock, name: 'odd', call: () => 5 };
    const failing = { ...clock, name: 'failing', call: () => Promise.reject(new Error('no clock')) };
    api.registerToolServer(server({ tools: [giving, odd, failing] }));
    const [first, second, third] = tools();
    assert.deepEqual(await call(first, {}), { text: 'a', structured: { a: 1 }, isError: true });
    assert.deepEqual(seen, [['s', undefined]]);
    await assert.rejects(call(second, {}), /odd gave no result that can be read/);
    await assert.rejects(call(third, {}), /no clock/);
  });

  it('offers resources and prompts of a list, too', async () => {
    const read = ({ id }: { readonly id: string }): string => `zone of ${id}`;
    const render = ({ city }: Readonly<Record<string, string>>): string => `Meet in ${String(city)}`;
    const resources = [{ uri: 'clock://zone', name: 'zone', mimeType: 'text/plain', read }];
    const prompts = [{ name: 'meet', arguments: [{ name: 'city', required: true }], render }];
    api.registerToolServer(server({ resources, prompts }));
    const { server: own } = servers.get('clock')!;
    assert.equal(await own.resources?.[0]?.read(fakeSession('s')), 'zone of s');
    assert.equal(await own.prompts?.()[0]?.render({ city: 'Rome' }), 'Meet in Rome');
    assert.deepEqual(own.prompts?.()[0]?.arguments, prompts[0]?.arguments);
  });

  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /expected an object; got undefined/],
    [server({ name: 'my_clock' }), /"name" must be .*agents split names at “_”.*"my_clock"/],
    [server({ name: '' }), /"name" must be/],
    [server({ title: 5 }), /"title" must be a text; got the number 5/],
    [server({ tools: undefined }), /needs either "tools" or "createServer"/],
    [server({ createServer: () => undefined }), /needs either/],
    [server({ tools: [clock, clock] }), /two tools are called "now"/],
    [server({ tools: [5] }), /tools\[0\] must be an object/],
    [server({ tools: [clock, { ...clock, name: 'a b' }] }), /tools\[1\]\.name must be/],
    [server({ tools: [{ ...clock, description: undefined }] }), /tools\[0\]\.description must be a text/],
    [server({ tools: [{ ...clock, call: 'x' }] }), /tools\[0\]\.call must be a function/],
    [
      server({ tools: [{ ...clock, inputSchema: { type: 'string' } }] }),
      /tools\[0\]\.inputSchema must be a JSON Schema/,
    ],
    [server({ tools: [{ ...clock, outputSchema: [] }] }), /tools\[0\]\.outputSchema must be a JSON Schema/],
    [server({ tools: [{ ...clock, approval: 'never' }] }), /tools\[0\]\.approval must be "free", "policy" or "always"/],
    [server({ tools: [{ ...clock, timeout: '5' }] }), /tools\[0\]\.timeout must be a number/],
    [server({ sampling: true }), /"sampling" is not passed on to agents; there is name, title/],
    [server({ tools: [{ ...clock, icons: [] }] }), /tools\[0\]: "icons" is not passed on/],
    [server({ tools: undefined, createServer: () => undefined, prompts: [] }), /"resources" and "prompts" go with/],
    [server({ resources: {} }), /"resources" must be a list/],
    [server({ resources: [{ uri: 'zone', name: 'zone', read: () => '' }] }), /resources\[0\]\.uri must be a URI/],
    [server({ resources: [{ uri: 'a:b', name: 'zone' }] }), /resources\[0\]\.read must be a function/],
    [server({ prompts: [{ name: '', render: () => '' }] }), /prompts\[0\]\.name must be a text/],
    [
      server({ prompts: [{ name: 'a', render: () => '', arguments: [{}] }] }),
      /prompts\[0\]\.arguments must have names/,
    ],
  ];
  for (const [given, expected] of wrong) {
    it(`rejects a definition: ${expected.source}`, () => {
      assert.throws(
        () => api.registerToolServer(given as ApiToolServer),
        (error) => error instanceof TypeError && expected.test(error.message),
      );
      assert.deepEqual(servers.list(), []);
    });
  }

  const schema = { type: 'object' as const, properties: {} };
  const made: readonly (readonly [string, (add: (more: () => void) => void) => ApiMcpServer])[] = [
    [
      'of the SDK of 2025',
      (add) => {
        const created = new OldServer({ name: 'clock', version: '1' });
        created.registerTool('now', { description: 'The time' }, async () => ({
          content: [{ type: 'text', text: 'noon' }],
        }));
        add(() => void created.registerTool('later', {}, async () => ({ content: [{ type: 'text', text: 'one' }] })));
        return created;
      },
    ],
    [
      'of the SDK of 2026',
      (add) => {
        const created = new McpServer({ name: 'clock', version: '1' });
        const inputSchema = fromJsonSchema(schema);
        created.registerTool('now', { description: 'The time', inputSchema }, async () => ({
          content: [{ type: 'text', text: 'noon' }],
        }));
        add(
          () =>
            void created.registerTool('later', { inputSchema }, async () => ({
              content: [{ type: 'text', text: 'one' }],
            })),
        );
        return created;
      },
    ],
  ];
  for (const [name, create] of made) {
    it(`accepts a whole server ${name}, and updates its tools`, async () => {
      let more = (): void => undefined;
      const closed: string[] = [];
      const registered = api.registerToolServer({
        name: 'clock',
        title: 'Clock',
        createServer: () => {
          const created = create((add) => (more = add));
          return { connect: (transport) => created.connect(transport), close: async () => void closed.push('closed') };
        },
      });
      const own = await inSessionOf();
      const textOf = async (name: string): Promise<string> =>
        (
          await call(
            own.tools.find((tool) => tool.name === name),
            {},
          )
        ).text;
      assert.equal(await textOf('now'), 'noon');
      const changed = new Promise<void>((resolve) => own.onDidChange!(() => resolve()));
      more();
      await changed;
      assert.equal(await textOf('later'), 'one');
      assert.equal(tools().length, 2, 'the settings know the tools of the newest session');
      registered.dispose();
      assert.deepEqual(servers.list(), []);
      await settled();
      assert.deepEqual(closed, ['closed']);
    });
  }

  it('reports why a server could not be created', async () => {
    api.registerToolServer({ name: 'clock', title: 'Clock', createServer: () => Promise.reject(new Error('no key')) });
    await inSessionOf();
    assert.deepEqual(errors, ['The tool server “clock” failed: no key']);
    assert.deepEqual(tools(), []);
  });
});

describe('A server that an extension builds with an SDK', () => {
  let bench: Bench;
  let served: HostedServer[];
  let logged: string[];
  let asked: unknown[];
  let created: { readonly id: string; readonly folders: readonly string[] }[];
  let closed: number;

  const answering = (id: string): SessionHandle => {
    const session = fakeSession(id);
    const elicit = (request: ElicitationRequest): PendingElicitation => {
      asked.push([id, request.message, request.from]);
      const answer = Promise.resolve({ action: 'accept' as const, content: { city: 'Rome' } });
      return stubOf<PendingElicitation>({ answer });
    };
    return { ...session, folders: ['/work'], userRequests: { ...session.userRequests, elicit } };
  };

  /** Everything that a server of the SDK of 2025 can have. */
  function build(session: { readonly id: string; readonly folders: readonly string[] }): OldServer {
    created.push(session);
    const server = new OldServer(
      { name: 'clock', version: '1' },
      { instructions: `For ${session.id}`, capabilities: { logging: {}, experimental: {} } },
    );
    const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
    server.registerTool('ask', {}, async () => {
      const requestedSchema = { type: 'object' as const, properties: { city: { type: 'string' as const } } };
      const { content } = await server.server.elicitInput({ message: 'Where?', requestedSchema });
      const { roots } = await server.server.listRoots();
      return text(`${String(content?.['city'])} of ${session.id}, ${roots.length} folder`);
    });
    server.registerTool('slow', {}, async ({ _meta, sendNotification, signal }) => {
      await sendNotification({ method: 'notifications/message', params: { level: 'warning', data: 'it is slow' } });
      const progressToken = _meta?.progressToken ?? '';
      const params = { progressToken, progress: 1, total: 4, message: 'a quarter' };
      await sendNotification({ method: 'notifications/progress', params });
      if (!signal.aborted) await once(signal, 'abort');
      logged.push(`canceled ${session.id}`);
      return text('late');
    });
    server.registerResource('zone', 'clock://zone', { mimeType: 'text/plain' }, ({ href }) => ({
      contents: [{ uri: href, text: `zone of ${session.id}` }],
    }));
    const template = new OldTemplate('clock://zone/{name}', { list: undefined });
    server.registerResource('zones', template, {}, ({ href }) => ({ contents: [{ uri: href, text: href }] }));
    const city = completable(z.string(), (value) => ['Rome', 'Riga'].filter((name) => name.startsWith(value)));
    server.registerPrompt('meet', { argsSchema: { city } }, ({ city }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Meet in ${city}` } }],
    }));
    return server;
  }

  beforeEach(async () => {
    [logged, asked, created, closed] = [[], [], [], 0];
    bench = createBench();
    const log = { ...nullLogger, warn: (_tag: string, line: string) => void logged.push(line) };
    const api = createParleyApi(bench.servers, new VendorMethods(nullLogger), log, '1.0.0');
    api.registerToolServer({
      name: 'clock',
      title: 'Clock',
      instructions: 'Use it.',
      createServer: (session) => {
        const server = build(session);
        return { connect: (transport) => server.connect(transport), close: async () => void (closed += 1) };
      },
    });
    for (const id of ['s1', 's2']) await bench.hostedServers.declareServers(answering(id), 'acp', true);
    served = ['s1', 's2'].map((id) => bench.hostedServers.get(id, 'clock')!);
  });
  afterEach(() => bench.hostedServers.dispose());

  let count = 0;
  /** As the agent of a session. */
  const request = async (method: string, params: object = {}, more: Partial<McpRequest> = {}, index = 0) => {
    count += 1;
    const { channel } = served[index]!.lastConnection ?? served[index]!.connect();
    const outcome = await served[index]!.handleRequest(channel, { id: count, method, params: { ...params }, ...more });
    assert.ok('result' in outcome, JSON.stringify(outcome));
    return outcome.result as Record<string, unknown>;
  };
  const initialize = (index = 0): Promise<Record<string, unknown>> => {
    const clientInfo = { name: 'agent', version: '1' };
    return request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, {}, index);
  };

  it('is created once for each session, which it is told, and closed with it', async () => {
    await bench.hostedServers.declareServers(answering('s1'), 'acp', true);
    assert.deepEqual(
      created.map((session) => [session.id, session.folders]),
      [
        ['s1', ['/work']],
        ['s2', ['/work']],
      ],
    );
    await bench.hostedServers.close('s1');
    bench.servers.get('clock')!.server.closeSession!('s1');
    assert.equal(closed, 1);
  });

  it('gives agents its instructions, resources, prompts and completions', async () => {
    const { instructions, capabilities } = await initialize(1);
    assert.equal(instructions, 'Use it.\n\nFor s2');
    assert.deepEqual(Object.keys(capabilities as object).toSorted(), ['completions', 'prompts', 'resources', 'tools']);
    const read = async (uri: string): Promise<string> =>
      JSON.stringify((await request('resources/read', { uri }, {}, 1))['contents']);
    assert.match(await read('clock://zone'), /zone of s2/);
    assert.match(await read('clock://zone/UTC'), /clock:\/\/zone\/UTC/);
    const prompt = await request('prompts/get', { name: 'meet', arguments: { city: 'Rome' } }, {}, 1);
    assert.match(JSON.stringify(prompt['messages']), /Meet in Rome/);
    const argument = { name: 'city', value: 'Ri' };
    const completed = await request(
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'meet' }, argument },
      {},
      1,
    );
    assert.deepEqual((completed['completion'] as { values: unknown }).values, ['Riga']);
  });

  it('asks the user of its session, and knows its folders', async () => {
    await initialize(1);
    const { content } = await request('tools/call', { name: 'ask', arguments: {} }, {}, 1);
    assert.match(JSON.stringify(content), /Rome of s2, 1 folder/);
    assert.deepEqual(asked, [['s2', 'Where?', 'The MCP server “clock”']]);
  });

  it('reports progress and messages, and is told when a call is canceled', async () => {
    await initialize();
    const abort = new AbortController();
    const told: unknown[] = [];
    const notify = (method: string, params: unknown): void => {
      told.push([method, params]);
      abort.abort();
    };
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 't' } };
    await assert.rejects(request('tools/call', params, { signal: abort.signal, notify }), /cancel/i);
    const message = 'a quarter';
    assert.deepEqual(told, [['notifications/progress', { progressToken: 't', progress: 0.25, total: 1, message }]]);
    await until(() => logged.includes('canceled s1'), 'the server hears of it');
    const { messages } = bench.servers.get('clock')!.server.forSession!(answering('s1'));
    assert.deepEqual(
      messages?.latest.map(({ level, text }) => [level, text]),
      [['warning', 'it is slow']],
    );
    assert.ok(logged.includes('The tool server “clock” offers experimental, which Parley does not pass on to agents'));
  });
});

describe('mcp/extensionApi/vendorMethods', () => {
  const definition = { name: 'a', title: 'Agent A', description: '', command: 'a', args: [], env: {} };
  let vendor: VendorMethods;
  let errors: string[];
  const sent: unknown[] = [];
  const changed = new Emitter<AgentConnection['state']>();
  const connection = stubOf<AgentConnection>({
    state: { status: 'ready', info: { capabilities: { _meta: { 'example.org': { greets: true } } } } },
    onDidChangeState: changed.event,
    request: async (method, params) => (sent.push([method, params]), { ok: true }),
    notify: (method, params) => void sent.push([method, params]),
  });
  beforeEach(() => {
    errors = [];
    sent.length = 0;
    vendor = new VendorMethods({ ...nullLogger, error: (_tag, message) => void errors.push(message) });
  });

  const part = () => vendor.createContribution(definition, () => connection);
  const answer = (method: string, params: unknown): Promise<unknown> => {
    const handler = requestHandlers([part().feature], nullLogger).get(method);
    assert.ok(handler, `${method} is answered`);
    return handler.handle(handler.parse(params), { signal: new AbortController().signal });
  };

  it('advertises only registered capabilities, by vendor', () => {
    const { feature } = part();
    const info = { name: 'parley', title: 'Parley', version: '1' };
    const advertised = () => initializeParams(info, [feature])['clientCapabilities'];
    assert.deepEqual(advertised(), {});
    const first = vendor.onRequest('_example.org/greet', () => undefined);
    vendor.onNotification('_example.org/seen', () => undefined, { version: 2 });
    vendor.onRequest('_zed.dev/workspace/buffers', () => undefined);
    assert.deepEqual(advertised(), {
      _meta: { 'example.org': { greet: true, seen: { version: 2 } }, 'zed.dev': { 'workspace/buffers': true } },
    });
    first.dispose();
    assert.deepEqual(JSON.stringify(advertised()).includes('greet'), false);
  });

  it('answers agents, and gives them the errors of the extension', async () => {
    vendor.onRequest('_x/ok', async (params, { agent }) => ({ params, agent }));
    vendor.onRequest('_x/nothing', () => undefined);
    vendor.onRequest('_x/fails', () => {
      throw new Error('no luck');
    });
    vendor.onRequest('_x/coded', () => {
      throw Object.assign(new Error('not here'), { code: 42, data: { a: 1 } });
    });
    assert.deepEqual(await answer('_x/ok', { p: 1 }), { params: { p: 1 }, agent: 'a' });
    assert.deepEqual(await answer('_x/nothing', {}), {});
    const isError =
      (code: number, message: string, data?: unknown) =>
      (error: unknown): boolean => {
        assert.ok(error instanceof RpcError);
        assert.deepEqual([error.code, error.message, error.data], [code, message, data]);
        return true;
      };
    await assert.rejects(answer('_x/fails', {}), isError(-32603, 'no luck'));
    await assert.rejects(answer('_x/coded', {}), isError(42, 'not here', { a: 1 }));
  });

  it('returns “not offered any more” after the handler is disposed', async () => {
    const registered = vendor.onRequest('_x/ok', () => 1);
    const [handler] = part().feature.handlers;
    registered.dispose();
    const { signal } = new AbortController();
    await assert.rejects(
      handler!.handle({}, { signal }),
      (error) => error instanceof RpcError && error.code === -32601,
    );
  });

  it('calls all listeners, even if one throws', () => {
    const heard: unknown[] = [];
    vendor.onNotification('_x/seen', () => {
      throw new Error('oops');
    });
    const second = vendor.onNotification('_x/seen', (params, { agent }) => heard.push([params, agent]));
    const { notifications = [] } = part().feature;
    for (const one of notifications) one.handle({ n: 1 });
    second.dispose();
    for (const one of notifications) one.handle({ n: 2 });
    assert.deepEqual(heard, [[{ n: 1 }, 'a']]);
    assert.match(String(errors[0]), /_x\/seen.*oops/);
  });

  it('sends requests and notifications to running agents, and names them in the error for another one', async () => {
    const attached = part();
    assert.deepEqual(vendor.agents(), [{ name: 'a', title: 'Agent A', meta: { 'example.org': { greets: true } } }]);
    assert.deepEqual(await vendor.request('a', '_x/ask', { q: 1 }), { ok: true });
    vendor.notify('a', '_x/tell');
    assert.deepEqual(sent, [
      ['_x/ask', { q: 1 }],
      ['_x/tell', {}],
    ]);
    await assert.rejects(vendor.request('b', '_x/ask'), /the agent "b" does not run. Running: “a”/);
    attached.dispose();
    await assert.rejects(vendor.request('a', '_x/ask'), /No agent runs/);
  });

  it('adds what extensions give to the metadata of a message, without what fails', () => {
    const asked: unknown[] = [];
    const first = vendor.addPromptMeta('example.org', (context) => (asked.push(context), { ticket: 7 }));
    vendor.addPromptMeta('nothing', () => undefined);
    vendor.addPromptMeta('fails', () => {
      throw new Error('no luck');
    });
    vendor.addPromptMeta('is no JSON', () => 1n);
    const { feature } = part();
    assert.deepEqual(feature.promptMeta?.('s1'), { 'example.org': { ticket: 7 } });
    assert.deepEqual(asked, [{ agent: 'a', sessionId: 's1' }]);
    assert.equal(errors.length, 2);
    assert.match(String(errors[0]), /"_meta\.fails".*no luck/);
    for (const key of ['example.org', 'traceparent', 'steering', ''])
      assert.throws(() => vendor.addPromptMeta(key, () => 1), /"key" must be a name of your own/);
    first.dispose();
    assert.deepEqual(feature.promptMeta?.('s1'), {});
  });

  it('fires events when agents start and end', async () => {
    let times = 0;
    vendor.onDidChange(() => (times += 1));
    const attached = part();
    await settled();
    changed.fire(connection.state);
    attached.dispose();
    changed.fire(connection.state);
    assert.equal(times, 2);
  });

  it('rejects methods of the protocol, registered methods, and invalid arguments', async () => {
    for (const method of ['session/prompt', '_nothing', '_/x', '', 5, '_ x/y']) {
      assert.throws(() => vendor.onRequest(method as string, () => 1), /is called "_vendor\/name"/);
      assert.throws(() => vendor.notify('a', method as string), /is called "_vendor\/name"/);
    }
    vendor.onRequest('_x/ok', () => 1);
    assert.throws(() => vendor.onRequest('_x/ok', () => 1), /answered by another extension already/);
    assert.throws(() => vendor.onRequest('_x/other', hostile(5)), /must be a function/);
    part();
    await assert.rejects(vendor.request('a', '_x/ask', [] as object), /must be an object/);
  });
});
