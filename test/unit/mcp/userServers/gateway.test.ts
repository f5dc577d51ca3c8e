import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { JsonObject } from '../../../../src/base/json';
import type { ServerDefinition, ServerLaunch } from '../../../../src/mcp/userServers/config/serverDefinition';
import type { ServerSecrets } from '../../../../src/mcp/userServers/config/serverInputs';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import type { RequestsToUser, SessionHandle } from '../../../../src/session/sessionHandle';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import { stubOf } from '../../../kit/stubOf';
import { end, httpServer, listen, modernServer, node, realServer, sseServer } from './testServers';
import { factoryOf, gatewayOwner, noSecrets } from './userServersBench';

interface Asked {
  readonly message: string;
  readonly url: string;
}

describe('a user server that goes through Parley', function () {
  const started: UserServer[] = [];
  const closing: (() => void)[] = [];

  function serve(start: ServerLaunch, change: Partial<ServerDefinition> = {}): UserServer {
    const definition = { name: 'mine', start, written: {}, inputs: new Map(), origin: place, ...change };
    const secrets: ServerSecrets = {
      ...noSecrets,
      get: async (_owner, name) => (name === 'note' ? 'from the person' : undefined),
      hide: (values) => void hidden.push(values),
    };
    const server = factoryOf({ secrets }).create(definition, gatewayOwner);
    started.push(server);
    return server;
  }

  function call(server: UserServer, name: string, input: object = {}, meta?: JsonObject): Promise<ToolResult> {
    const tool = server.tools.find((one) => one.name === name);
    assert.ok(tool, `there is no tool ${name}`);
    return tool.call(input, contextOf(meta));
  }

  const asked: Asked[] = [];
  const hidden: object[] = [];
  let answer: 'accept' | 'decline' = 'accept';
  function contextOf(meta?: JsonObject): ToolContext {
    const userRequests = stubOf<RequestsToUser>({
      elicit: ({ message, question }) => {
        asked.push({ message, url: question.mode === 'url' ? question.url : '' });
        return { answer: Promise.resolve({ action: answer }), complete: () => undefined };
      },
    });
    return {
      session: stubOf<SessionHandle>({ id: 's1', userRequests }),
      signal: new AbortController().signal,
      progress: () => undefined,
      approve: async () => undefined,
      waitForUser: (given) => given,
      ...(meta && { meta }),
    };
  }

  /** Resolves when the state has this text. */
  function becomes(server: UserServer, pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!pattern.test(server.state ?? '')) return;
        subscription.dispose();
        resolve(server.state ?? '');
      };
      const subscription = server.onDidChange(look);
      queueMicrotask(look);
    });
  }

  afterEach(() => {
    asked.length = 0;
    answer = 'accept';
    for (const server of started.splice(0)) server.dispose();
    for (const close of closing.splice(0)) close();
  });

  it('is offered with its tools, resources and prompts, and can be called', async () => {
    const server = serve(realServer({ NOTE: '${input:note}' }), { inputs: new Map([['note', { isSecret: true }]]) });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    assert.equal(server.unavailableReason(stubOf<SessionHandle>({ state: {} })), undefined);
    assert.deepEqual([server.title, server.instructions], ['Real Server', 'Use me.']);
    const echo = server.tools.find(({ name }) => name === 'echo');
    assert.deepEqual(
      [echo?.approval, echo?.annotations.readOnlyHint, echo?.description],
      ['policy', true, 'Says it again'],
    );
    const { text, structured } = await call(server, 'echo', { what: 'hi' });
    assert.deepEqual([text, structured], ['hi', { said: 'hi' }]);
    assert.equal((await call(server, 'env')).text, 'from the person');
    assert.deepEqual(JSON.parse((await call(server, 'roots')).text), [{ uri: 'file:///app' }]);
    assert.equal((await call(server, 'echo', { what: 1 })).isError, true);
    assert.deepEqual(
      server.resources.map(({ uri }) => uri),
      ['note://one'],
    );
    assert.deepEqual(await server.resources[0]?.read(stubOf<SessionHandle>({})), NOTE);
    assert.deepEqual(await server.prompts()[0]?.render({ who: 'you' }), {
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello you' } }],
    });
  });

  it('receives the metadata that a tool receives, but another progress token', async () => {
    const server = serve(realServer());
    await server.prepare(true);
    const trace = { traceparent: '00-a-b-01', tracestate: 'x=1', baggage: 'k=v' };
    const { progressToken, ...seen } = JSON.parse((await call(server, 'meta', {}, trace)).text) as JsonObject;
    assert.deepEqual(seen, trace);
    assert.notEqual(progressToken, undefined);
  });

  it('follows list changes of the server, and keeps unchanged tools as the same objects', async () => {
    const server = serve(realServer());
    await server.prepare(true);
    const echo = server.tools.find(({ name }) => name === 'echo');
    const changed = new Promise<void>((resolve) => {
      server.onDidChange(() => server.heldBack.list().some(({ name }) => name === 'added') && resolve());
    });
    await call(server, 'more');
    await changed;
    assert.equal(
      server.tools.find(({ name }) => name === 'echo'),
      echo,
    );
  });

  it('shows a URL in the chat of the call completely, and only for https', async () => {
    const server = serve(realServer());
    await server.prepare(true);
    assert.equal((await call(server, 'page', { url: 'https://example.com/a?b=c' })).text, 'accept');
    for (const url of ['http://example.com', 'file:///etc/passwd', 'vscode://x', 'https://u:p@example.com'])
      assert.equal((await call(server, 'page', { url })).text, 'decline', url);
    await assert.rejects(call(server, 'first'), /the page was opened\. Call it again/);
    answer = 'decline';
    await assert.rejects(call(server, 'first'), /was not opened/);
    assert.deepEqual(asked, [
      { message: 'Open it', url: 'https://example.com/a?b=c' },
      { message: 'Sign in', url: 'https://example.com/in' },
      { message: 'Sign in', url: 'https://example.com/in' },
    ]);
  });

  it('shows its stderr after an exit, restarts, and never repeats a call', async () => {
    const server = serve(realServer());
    await server.prepare(true);
    const ended = becomes(server, /^failed/);
    await assert.rejects(call(server, 'die'), /not known whether the call had its effect/);
    assert.match(await ended, /retrying in 1 s\)\n?[^]*last words/);
    await assert.rejects(call(server, 'echo', { what: 'x' }), /cannot be reached/);
    assert.deepEqual(
      await server.resources[0]?.read(stubOf<SessionHandle>({})),
      NOTE,
      'a reading waits until it is back',
    );
    assert.equal(server.state, 'ready');
  });

  it('receives its headers over HTTP', async () => {
    const { url, seen, close } = await httpServer();
    closing.push(close);
    const inputs = new Map([['note', { isSecret: true }]]);
    const server = serve({ type: 'http', url, headers: { Authorization: 'Bearer ${input:note}' } }, { inputs });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    assert.equal((await call(server, 'add', { a: 1, b: 2 })).text, '3');
    assert.deepEqual([...new Set(seen)], ['Bearer from the person']);
    assert.deepEqual(hidden.at(-1), { Authorization: 'Bearer from the person' });
  });

  it('receives its headers over SSE, with each message, and after a reconnection', async () => {
    const { url, seen, close, endStreams } = await sseServer();
    closing.push(close);
    const inputs = new Map([['note', { isSecret: true }]]);
    const server = serve({ type: 'sse', url, headers: { Authorization: 'Bearer ${input:note}' } }, { inputs });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    assert.equal((await call(server, 'add', { a: 1, b: 2 })).text, '3');
    assert.deepEqual(new Set(seen), new Set(['GET Bearer from the person', 'POST Bearer from the person']));
    const lost = becomes(server, /^failed.*retrying in 1 s/);
    endStreams();
    await lost.then(() => becomes(server, /^ready$/));
    assert.equal((await call(server, 'add', { a: 2, b: 2 })).text, '4');
  });

  it('is not used before the user has approved a workspace definition', async () => {
    const server = serve(realServer(), { origin: { ...place, isOfWorkspace: true } });
    await server.prepare(true);
    assert.match(server.unavailableReason(stubOf<SessionHandle>({ state: {} })) ?? '', /you did not allow this server/);
    assert.equal(server.start, undefined);
    assert.deepEqual(server.tools, []);
  });

  it('reports a missing input, and a missing command', async () => {
    const wanting = serve(realServer(), { inputs: new Map([['other', { isSecret: true }]]) });
    await wanting.prepare(true);
    assert.match(
      wanting.unavailableReason(stubOf<SessionHandle>({ state: {} })) ?? '',
      /the required input “other” was not provided/,
    );
    const missing = serve({ type: 'stdio', command: 'no-such-program-here', args: [], env: {} });
    await missing.prepare(true);
    assert.match(missing.state ?? '', /command no-such-program-here was not found/);
  });

  it('fails with the end of its stderr if it does not support MCP', async () => {
    const server = serve(node("process.stderr.write('no config\\n'); process.exit(1)"));
    await server.prepare(true);
    assert.match(server.unavailableReason(stubOf<SessionHandle>({ state: {} })) ?? '', /^failed: [^]*no config/);
  });

  it('is used with the newest protocol version if it supports no older one', async () => {
    const { url, close } = await modernServer();
    closing.push(close);
    const server = serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    assert.equal(server.state, 'ready');
    assert.equal((await call(server, 'now', { a: 'x' })).text, 'new x');
  });

  it('reports that it requires a sign-in', async () => {
    const web = createServer((_request, response) => response.writeHead(401).end());
    const url = await listen(web);
    closing.push(() => end(web));
    const server = serve({ type: 'http', url, headers: {} });
    await server.prepare(true);
    assert.equal(server.state, 'needs sign-in');
    assert.equal(server.account?.status, 'required');
    const withToken = serve({ type: 'http', url, headers: { authorization: 'Bearer old' } });
    await withToken.prepare(true);
    assert.match(withToken.state ?? '', /^failed: the server rejected the configured Authorization header \(401\)\. /);
    assert.equal(withToken.account, undefined);
  });

  const hostile: readonly (readonly [string, string, RegExp])[] = [
    [
      'a line of 100 MB',
      "const c = 'x'.repeat(1 << 20); for (let i = 0; i < 100; i += 1) process.stdout.write(c); setInterval(() => {}, 1000)",
      /larger than 16777216 bytes/,
    ],
    [
      'a message of many levels',
      "process.stdout.write('['.repeat(100_000) + '\\n'); setInterval(() => {}, 1000)",
      /more than 200 levels/,
    ],
    [
      'a message of many values',
      "process.stdout.write('[' + '[],'.repeat(200_000) + '0]\\n', () => process.exit())",
      /more than 250000 values/,
    ],
    [
      'messages without end',
      "const line = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { a: 'x'.repeat(1 << 20) } }) + '\\n'; const go = () => { while (process.stdout.write(line)); process.stdout.once('drain', go); }; go()",
      /more than 134217728 bytes within 60 seconds/,
    ],
  ];
  for (const [what, script, pattern] of hostile) {
    it(`is ended when it sends ${what}`, async () => {
      const server = serve(node(script));
      await server.prepare(true);
      assert.match(server.state ?? '', pattern);
    });
  }

  it('fails if an HTTP answer is nested too deeply, has too many values or is endless', async () => {
    const bodies: Readonly<Record<string, readonly [string, string]>> = {
      '/deep': ['application/json', '[\n'.repeat(10_000)],
      '/events': ['text/event-stream', `: "\ndata: ${'{"a":\ndata: '.repeat(10_000)}`],
      '/dense': ['text/event-stream', `data: ${'[],'.repeat(1_000)}\n`],
      '/long': ['text/event-stream', `data: "${'x'.repeat(1 << 20)}`],
    };
    const web = createServer((request, response) => {
      const [type = '', body = ''] = bodies[request.headers['x-kind'] as string] ?? [];
      response.writeHead(200, { 'content-type': type });
      const go = (): void => {
        if (response.destroyed) return;
        if (response.write(body.startsWith('data: "x') ? body.slice(7) : body)) setImmediate(go);
        else response.once('drain', go);
      };
      go();
    });
    const url = await listen(web);
    closing.push(() => end(web));
    for (const [kind, pattern] of [
      ['/deep', /more than 200 levels/],
      ['/events', /more than 200 levels/],
      ['/dense', /more than 250000 values/],
      ['/long', /larger than 16777216 bytes/],
    ] as const) {
      const server = serve({ type: 'http', url, headers: { 'x-kind': kind } });
      await server.prepare(true);
      assert.match(server.state ?? '', pattern, kind);
    }
  });
});

const NOTE = [{ uri: 'note://one', text: 'a note' }];
const place = { id: 'settings', label: 'your settings', isOfWorkspace: false };
