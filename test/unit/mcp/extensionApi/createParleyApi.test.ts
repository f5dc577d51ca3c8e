import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { AgentConnection } from '../../../../src/agent/connection/agentConnection';
import { requestHandlers, initializeParams } from '../../../../src/agent/connection/initialize';
import { Emitter } from '../../../../src/base/event';
import { RpcError } from '../../../../src/base/jsonRpc';
import { nullLogger } from '../../../../src/base/logger';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { Tool } from '../../../../src/mcp/contract/toolServerTypes';
import { createParleyApi } from '../../../../src/mcp/extensionApi/createParleyApi';
import type { ApiMcpServer, ApiToolServer, ParleyApi } from '../../../../src/mcp/extensionApi/parleyApi';
import { VendorMethods } from '../../../../src/mcp/extensionApi/vendorMethods';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import { hostile } from '../../../kit/hostile';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';
import { fakeSession } from '../sample';

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
  /** Waits until a server has this many tools. */
  const until = async (count: number): Promise<void> => {
    while (tools().length !== count) {
      await new Promise<void>((resolve) => servers.get('clock')!.server.onDidChange!(() => resolve()));
    }
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
      assert.deepEqual(tools(), []);
      await until(1);
      const result = await call(tools()[0], {});
      assert.equal(result.text, 'noon');
      more();
      await until(2);
      assert.equal(
        (
          await call(
            tools().find((tool) => tool.name === 'later'),
            {},
          )
        ).text,
        'one',
      );
      registered.dispose();
      assert.deepEqual(servers.list(), []);
      await settled();
      assert.deepEqual(closed, ['closed']);
    });
  }

  it('reports why a server could not be created', async () => {
    api.registerToolServer({ name: 'clock', title: 'Clock', createServer: () => Promise.reject(new Error('no key')) });
    await settled();
    assert.deepEqual(errors, ['The tool server “clock” failed: no key']);
    assert.deepEqual(tools(), []);
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
    const handler = requestHandlers([part().feature], nullLogger).find((one) => one.method === method);
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
