import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TaskState } from '@a2a-js/sdk';
import type { GatewayBench } from '../../../a2a/bench';
import { startGateway } from '../../../a2a/bench';
import type { GatewayClient } from '../../../a2a/client';
import { connectClient, ended, request } from '../../../a2a/client';
import type { SampleService } from '../../../a2a/sampleService';
import { startSampleService } from '../../../a2a/sampleService';
import { until } from '../../../kit/waiting';

const SESSION = 'mcp+session://session-1/sample';
const ADD = { mcp_method: 'tools/call', mcp_params: { name: 'add', arguments: { a: 2, b: 3 } } };

describe('The A2A gateway', () => {
  let bench: GatewayBench;
  let client: GatewayClient;

  beforeEach(async () => {
    bench = await startGateway();
    client = await connectClient(bench.address.url, bench.address.token);
  });

  afterEach(() => bench.stop());

  it('lists the targets of open sessions in its agent card', async () => {
    const card = await client.client.getAgentCard();
    assert.equal(card.name, 'MCP Gateway Agent');
    assert.equal(card.version, '1.0.0');
    assert.equal(card.capabilities?.streaming, true);
    assert.equal(card.capabilities?.pushNotifications, false);
    assert.deepEqual(
      card.skills.map(({ id }) => id),
      ['execute_mcp_command'],
    );
    assert.match(card.skills[0]?.examples.join() ?? '', /mcp\+session:\/\/session-1\/sample/);
  });

  it('calls a tool of a session', async () => {
    const { state, answer } = await client.run({ mcp_target_url: SESSION, ...ADD, mcp_request_id: 'mine' });
    assert.equal(state, 'TASK_STATE_COMPLETED');
    assert.equal(answer.mcp_request_id_echo, 'mine');
    assert.equal(answer.mcp_response_id, 'mine');
    assert.deepEqual((answer.mcp_result as { structuredContent?: unknown }).structuredContent, { sum: 5 });
    assert.deepEqual(
      bench.audit.map(({ agent, session, outcome }) => [agent, session, outcome]),
      [['A2A client', 'session-1', 'done']],
    );
  });

  it('reads a resource of a session, and creates an id if none is given', async () => {
    const params = { uri: 'ide://note' };
    const { answer } = await client.run({ mcp_target_url: SESSION, mcp_method: 'resources/read', mcp_params: params });
    assert.match(JSON.stringify(answer.mcp_result), /note 1/);
    assert.match(String(answer.mcp_request_id_echo), /^[\da-f-]{36}$/);
  });

  it('fails a task with the error of the MCP server', async () => {
    const params = { uri: 'ide://nothing' };
    const { state, answer } = await client.run({
      mcp_target_url: SESSION,
      mcp_method: 'resources/read',
      mcp_params: params,
    });
    assert.equal(state, 'TASK_STATE_FAILED');
    assert.match(answer.mcp_error?.message ?? '', /ide:\/\/nothing/);
    assert.equal(answer.mcp_result, undefined);
  });

  it('streams progress', async () => {
    const seen: string[] = [];
    const step = { mcp_target_url: SESSION, mcp_method: 'tools/call', mcp_params: { name: 'step', arguments: {} } };
    for await (const { payload } of client.stream(step)) {
      if (payload?.$case === 'artifactUpdate') seen.push('artifact');
      if (payload?.$case === 'task') seen.push('task');
      if (payload?.$case !== 'statusUpdate') continue;
      const { status, metadata } = payload.value;
      seen.push(`${TaskState[status?.state ?? 0]} ${JSON.stringify(metadata?.['mcp_progress'] ?? {})}`);
      if (metadata?.['mcp_progress']) bench.sample.goOn.fire();
    }
    assert.deepEqual(seen, [
      'task',
      'TASK_STATE_WORKING {}',
      'TASK_STATE_WORKING {"message":"half of it","progress":0.5,"total":1}',
      'artifact',
      'TASK_STATE_COMPLETED {}',
    ]);
  });

  it('shows a running task to a client that subscribes later', async () => {
    const begun = new Promise((resolve) => bench.sample.begun.event(resolve));
    const step = { mcp_target_url: SESSION, mcp_method: 'tools/call', mcp_params: { name: 'step', arguments: {} } };
    const task = await client.client.sendMessage({ ...request(step), configuration: atOnce });
    assert.ok('id' in task);
    await begun;
    const seen: string[] = [];
    for await (const { payload } of client.client.resubscribeTask({ tenant: '', id: task.id })) {
      if (seen.length === 0) bench.sample.goOn.fire();
      seen.push(payload?.$case ?? '');
    }
    assert.deepEqual([seen[0], seen.at(-2), seen.at(-1)], ['task', 'artifactUpdate', 'statusUpdate']);
  });

  it('aborts the call when the task is canceled', async () => {
    const begun = new Promise<AbortSignal>((resolve) => bench.sample.begun.event(resolve));
    const wait = { mcp_target_url: SESSION, mcp_method: 'tools/call', mcp_params: { name: 'wait', arguments: {} } };
    const task = await client.client.sendMessage({
      ...request(wait),
      configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
    });
    assert.ok('id' in task);
    const signal = await begun;
    const aborted = once(signal, 'abort');
    const canceled = await client.client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    await aborted;
    assert.equal(ended(canceled).state, 'TASK_STATE_CANCELED');
  });

  const WAIT = { mcp_target_url: SESSION, mcp_method: 'tools/call', mcp_params: { name: 'wait', arguments: {} } };
  const atOnce = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };

  it('aborts running commands when it is stopped', async () => {
    const begun = new Promise<AbortSignal>((resolve) => bench.sample.begun.event(resolve));
    await client.client.sendMessage({ ...request(WAIT), configuration: atOnce });
    const aborted = once(await begun, 'abort');
    await bench.gateway.stop();
    await aborted;
  });

  it('runs 32 commands at a time, and rejects the next with that limit', async () => {
    const all = Array.from({ length: 32 }, () =>
      client.client.sendMessage({ ...request(WAIT), configuration: atOnce }),
    );
    await Promise.all(all);
    const { state, answer } = await client.run(WAIT);
    assert.equal(state, 'TASK_STATE_FAILED');
    assert.match(answer.mcp_error?.message ?? '', /^32 commands are running/);
  });

  it('rejects a second command in a running task, because the first could not be canceled', async () => {
    const task = await client.client.sendMessage({ ...request(WAIT), configuration: atOnce });
    assert.ok('id' in task);
    const { message, ...rest } = request(WAIT);
    const second = { ...rest, message: { ...message!, taskId: task.id }, configuration: atOnce };
    await assert.rejects(client.client.sendMessage(second), /task of its own/);
  });

  it('fails running commands when the session is closed', async () => {
    bench.sample.begun.event(() => bench.outside.close('session-1'));
    const { state, answer } = await client.run({
      mcp_target_url: SESSION,
      mcp_method: 'tools/call',
      mcp_params: { name: 'wait', arguments: {} },
    });
    assert.equal(state, 'TASK_STATE_FAILED');
    assert.deepEqual(answer.mcp_error?.data, { cause: 'session' });
  });

  const malformed: readonly (readonly [string, object])[] = [
    ['no target', { mcp_method: 'tools/list' }],
    ['no method', { mcp_target_url: SESSION }],
    ['a method that is not served', { mcp_target_url: SESSION, mcp_method: 'sampling/createMessage' }],
    [
      'a path that is an address',
      { mcp_target_url: SESSION, mcp_method: 'tools/list', mcp_request_path: '//evil.example/x' },
    ],
    [
      'a path that becomes an address',
      { mcp_target_url: SESSION, mcp_method: 'tools/list', mcp_request_path: '/\t/evil.example' },
    ],
    ['params that are no object', { mcp_target_url: SESSION, mcp_method: 'tools/list', mcp_params: [] }],
    ['a tool without a name', { mcp_target_url: SESSION, mcp_method: 'tools/call' }],
    [
      'a tool whose name is no text',
      { mcp_target_url: SESSION, mcp_method: 'tools/call', mcp_params: { name: { x: 1 } } },
    ],
    [
      'a header of its own',
      { mcp_target_url: SESSION, mcp_method: 'tools/list', mcp_headers: { Host: 'evil.example' } },
    ],
    [
      'a header of two lines',
      { mcp_target_url: SESSION, mcp_method: 'tools/list', mcp_headers: { A: 'b\r\nHost: x' } },
    ],
  ];
  for (const [what, command] of malformed) {
    it(`rejects a command as invalid params: ${what}`, async () => {
      await assert.rejects(client.run(command), (error: { code?: unknown; message?: string }) => {
        assert.match(error.message ?? '', /mcp_/);
        return true;
      });
      const stream = client.stream(command);
      await assert.rejects(stream.next());
      assert.deepEqual(bench.audit, []);
    });
  }

  it('rejects a message without a data part with -32602', async () => {
    const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const response = await fetch(bench.address.url, {
        method: 'POST',
        headers: { authorization: `Bearer ${bench.address.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
      });
      const { id, error } = (await response.json()) as { id: unknown; error: { code: number } };
      assert.deepEqual([id, error.code], [7, -32602]);
    }
  });

  it('rejects web hooks', async () => {
    const response = await fetch(bench.address.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.address.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'CreateTaskPushNotificationConfig',
        params: { id: 'a', taskId: 't', url: 'http://127.0.0.1:9/' },
      }),
    });
    const { error } = (await response.json()) as { error: { message: string } };
    assert.match(error.message, /not supported/);
  });
});

for (const era of ['2025', '2026', 'sse'] as const) {
  describe(`The A2A gateway, in front of an MCP service of ${era},`, () => {
    let bench: GatewayBench;
    let client: GatewayClient;
    let service: SampleService;

    beforeEach(async () => {
      bench = await startGateway();
      client = await connectClient(bench.address.url, bench.address.token);
      service = await startSampleService(era);
      bench.listed.push({ alias: 'sample', url: service.origin, headers: async () => ({ 'X-Key': 'mine' }) });
    });

    afterEach(async () => {
      await bench.stop();
      service.close();
    });

    it('calls a tool once, after the user approved it', async () => {
      const { state, answer } = await client.run({ mcp_target_url: service.origin, ...ADD, mcp_request_id: 'r1' });
      assert.equal(state, 'TASK_STATE_COMPLETED', JSON.stringify(answer));
      assert.match(JSON.stringify(answer.mcp_result), /"5"/);
      assert.equal(answer.mcp_response_id, 'r1');
      assert.equal(service.methods.filter((method) => method === 'tools/call').length, 1);
      assert.deepEqual(
        bench.questions.map(({ tool, title }) => [tool, title.split(' of ')[0]]),
        [['sample__add', 'A2A client: call add']],
      );
      assert.notEqual(bench.questions[0]?.always, undefined, 'a rule for a server of that name would allow it');
    });

    it('shows the address and the headers of a call, and sends no metadata that it does not show', async () => {
      const inputs = async (more: object): Promise<string> => {
        await client.run({ mcp_target_url: service.origin, ...ADD, ...more });
        return JSON.stringify(bench.questions.at(-1)?.input);
      };
      const plain = await inputs({});
      assert.match(plain, /"url":"http:[^"]*\/mcp","arguments":/);
      const asRoot = await inputs({ mcp_headers: { 'X-Role': 'root' } });
      assert.match(asRoot, /"headers":{"X-Role":"secret [0-9a-f]{12}"}/);
      assert.doesNotMatch(asRoot, /root/);
      assert.equal(await inputs({ mcp_headers: { 'X-Role': 'root' } }), asRoot);
      const all = [plain, asRoot, await inputs({ mcp_headers: { 'X-Role': 'user' } })];
      assert.equal(new Set(all).size, 3);
      const { mcp_params: params } = ADD;
      await inputs({ mcp_params: { ...params, _meta: { force: true, traceparent: '00-a-b-01' }, task: { ttl: 1 } } });
      const { _meta: meta, ...sent } = service.calls.at(-1) as { readonly _meta: Readonly<Record<string, unknown>> };
      assert.deepEqual(sent, params);
      assert.deepEqual([meta['traceparent'], meta['force']], ['00-a-b-01', undefined]);
    });

    it('treats each conversation as a separate caller with its own approvals', async () => {
      const { task } = await client.run({ mcp_target_url: 'sample', ...ADD });
      await client.run({ mcp_target_url: 'sample', ...ADD }, task.contextId);
      await client.run({ mcp_target_url: 'sample', ...ADD });
      const [first, second, third] = bench.questions.map(({ caller }) => caller);
      assert.equal(first, `A2A client ${task.contextId}`);
      assert.equal(second, first);
      assert.ok(third?.startsWith('A2A client ') && third !== first);
    });

    it('returns an id unchanged, a number as a number', async () => {
      for (const target of ['sample', SESSION]) {
        const command = { mcp_target_url: target, mcp_method: 'tools/list', mcp_request_id: 7 };
        const { state, answer } = await client.run(command);
        assert.equal(state, 'TASK_STATE_COMPLETED', JSON.stringify(answer));
        assert.deepEqual([answer.mcp_request_id_echo, answer.mcp_response_id], [7, 7]);
      }
      const half = { mcp_target_url: 'sample', mcp_method: 'tools/list', mcp_request_id: 1.5 };
      await assert.rejects(client.run(half), /mcp_request_id must be/);
    });

    it('forwards all other client requests; the server rejects unknown ones', async () => {
      const asked: readonly (readonly [string, object])[] = [
        ['ping', {}],
        ['logging/setLevel', { level: 'info' }],
        ['resources/subscribe', { uri: 'sample://note' }],
        ['resources/unsubscribe', { uri: 'sample://note' }],
      ];
      for (const [method, params] of asked) {
        const { answer } = await client.run({ mcp_target_url: 'sample', mcp_method: method, mcp_params: params });
        assert.ok(service.methods.includes(method), `${method}: ${JSON.stringify(answer)}`);
        assert.equal((answer.mcp_error?.data as { cause?: string } | undefined)?.cause, undefined, method);
      }
    });

    it('reads a resource without approval, also by alias', async () => {
      for (const target of ['sample', service.origin]) {
        const { answer } = await client.run({
          mcp_target_url: target,
          mcp_method: 'resources/read',
          mcp_params: { uri: 'sample://note' },
        });
        assert.match(JSON.stringify(answer.mcp_result), /a note/);
      }
      assert.deepEqual(bench.questions, []);
    });

    it('sends the headers of the settings, adds other headers of the caller, and stores none', async () => {
      const headers = { 'x-key': 'theirs', 'X-Trace': 'secret-trace' };
      const { task } = await client.run({ mcp_target_url: 'sample', mcp_method: 'tools/list', mcp_headers: headers });
      assert.equal(service.headers.at(-1)?.['x-key'], 'mine');
      assert.equal(service.headers.at(-1)?.['x-trace'], 'secret-trace');
      assert.doesNotMatch(JSON.stringify(task), /secret-trace/);
      assert.match(JSON.stringify(task), /redacted/);
      assert.doesNotMatch(JSON.stringify(bench.audit), /secret-trace/);
    });

    it('does not make a call that the user rejects', async () => {
      bench.answer = { allowed: false, by: 'person', reason: 'you rejected it' };
      const { state, answer } = await client.run({ mcp_target_url: 'sample', ...ADD });
      assert.equal(state, 'TASK_STATE_FAILED');
      assert.match(answer.mcp_error?.message ?? '', /you rejected it/);
      assert.deepEqual(service.methods, []);
    });
  });
}

type Refuse = (response: ServerResponse, id: unknown) => unknown;

async function answer(incoming: IncomingMessage, response: ServerResponse, refuse: Refuse): Promise<void> {
  if (incoming.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(await text(incoming));
  if (method === 'initialize') return void refuse(response, id);
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { method, path: incoming.url, of: params.name } }));
}

/** Answers each request of MCP by itself, and refuses `initialize`. */
async function startSimpleServer(refuse: Refuse): Promise<Server> {
  const server = createServer((incoming, response) => void answer(incoming, response, refuse));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('The A2A gateway, to a server without conversations', () => {
  let bench: GatewayBench;
  let client: GatewayClient;
  let server: Server;

  beforeEach(async () => {
    bench = await startGateway();
    client = await connectClient(bench.address.url, bench.address.token);
  });

  afterEach(async () => {
    await bench.stop();
    server.close();
    server.closeAllConnections();
  });

  const list = (path?: string): void => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    bench.listed.push({ alias: 'simple', url, headers: async () => ({}), ...(path !== undefined && { path }) });
  };
  const call = { mcp_target_url: 'simple', mcp_method: 'tools/call', mcp_params: { name: 'add' } };

  const refusals: Readonly<Record<string, Refuse>> = {
    'with HTTP 404': (response) => response.writeHead(404).end('not found'),
    'with an error of its own': (response, id) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'unknown method' } })),
  };
  for (const [how, refuse] of Object.entries(refusals))
    it(`sends the request alone if initialize is refused ${how}`, async () => {
      server = await startSimpleServer(refuse);
      list();
      const { state, answer } = await client.run(call);
      assert.equal(state, 'TASK_STATE_COMPLETED', JSON.stringify(answer));
      assert.deepEqual(answer.mcp_result, { method: 'tools/call', path: '/mcp', of: 'add' });
    });

  it('does not call a server that refuses its client', async () => {
    server = await startSimpleServer((response, id) =>
      response.writeHead(401).end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no key' } })),
    );
    list();
    const { answer } = await client.run(call);
    assert.deepEqual(answer.mcp_error?.data, { cause: 'http', status: 401 });
  });

  it('uses the path of the command, unless the target has its own', async () => {
    server = await startSimpleServer((response) => response.writeHead(404).end());
    list();
    const pathOf = async (more: object): Promise<unknown> => {
      const { answer } = await client.run({ ...call, ...more });
      return (answer.mcp_result as { path?: unknown } | undefined)?.path ?? answer.mcp_error?.message;
    };
    assert.equal(await pathOf({ mcp_request_path: '/other?x=1' }), '/other?x=1');
    bench.listed.length = 0;
    list('/own');
    assert.equal(await pathOf({}), '/own');
    assert.match(String(await pathOf({ mcp_request_path: '/other' })), /Only the path \/own/);
  });
});

describe('The A2A gateway, to an MCP service with conversations', () => {
  it('lists the tools of targets that answer in its card', async () => {
    const bench = await startGateway();
    const service = await startSampleService();
    try {
      bench.listed.push({ alias: 'sample', url: service.origin, headers: async () => ({}) });
      bench.listed.push({ alias: 'gone', url: 'http://127.0.0.1:9', headers: async () => ({}) });
      const { client } = await connectClient(bench.address.url, bench.address.token);
      const { skills } = await client.getAgentCard();
      const tools = ['sample__add', 'sample__step', 'sample__wait'];
      assert.deepEqual(
        skills.map(({ id }) => id),
        ['execute_mcp_command', ...tools],
      );
      assert.match(skills[0]?.examples.join() ?? '', /"mcp_target_url":"gone"/);
      assert.equal(skills[1]?.description, 'Adds two numbers');
      const asked = service.methods.length;
      await connectClient(bench.address.url, bench.address.token);
      assert.equal(service.methods.length, asked, 'it asks the targets once a minute');
    } finally {
      await bench.stop();
      service.close();
    }
  });

  for (const era of ['2025', 'sse'] as const)
    it(`streams progress and reports a cancellation: ${era}`, async () => {
      const bench = await startGateway();
      const service = await startSampleService(era);
      try {
        const client = await connectClient(bench.address.url, bench.address.token);
        bench.listed.push({ alias: 'sample', url: service.origin, headers: async () => ({}) });
        const step = { mcp_target_url: 'sample', mcp_method: 'tools/call', mcp_params: { name: 'step' } };
        const told: unknown[] = [];
        for await (const { payload } of client.stream(step))
          if (payload?.$case === 'statusUpdate') told.push(payload.value.metadata?.['mcp_progress']);
        assert.deepEqual(told, [undefined, { progress: 0.5, total: 1, message: 'half of it' }, undefined]);
        const begun = new Promise<AbortSignal>((resolve) => service.waiting.event(resolve));
        const wait = { mcp_target_url: 'sample', mcp_method: 'tools/call', mcp_params: { name: 'wait' } };
        const events = client.stream(wait);
        const first = await events.next();
        const payload = first.done === true ? undefined : first.value.payload;
        assert.ok(payload?.$case === 'task');
        const signal = await begun;
        const aborted = once(signal, 'abort');
        await client.client.cancelTask({ tenant: '', id: payload.value.id, metadata: undefined });
        await aborted;
        await until(() => service.methods.includes('notifications/cancelled'), 'the server hears of it');
      } finally {
        await bench.stop();
        service.close();
      }
    });
});
