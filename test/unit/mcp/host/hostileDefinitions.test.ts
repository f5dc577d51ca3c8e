import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { Emitter } from '../../../../src/base/event';
import { nullLogger } from '../../../../src/base/logger';
import * as library from '../../../../src/mcp/contract/mcpServerSdk';
import type { Tool, ToolServer } from '../../../../src/mcp/contract/toolServerTypes';
import { toSchema } from '../../../../src/mcp/host/toolSchemas';
import { createBench } from '../sample';
import type { Bench } from '../sample';
import { WAYS } from '../transport/transports';

/** Definitions of servers that attack Parley. */
describe('definitions of a hostile server', () => {
  let bench: Bench;
  beforeEach(() => (bench = createBench()));
  afterEach(() => bench.hostedServers.dispose());

  /** An MCP client of the only server. */
  async function connect(server: Partial<ToolServer>): Promise<Client> {
    bench.gate.hidden.add('sample');
    bench.servers.add({ name: 'evil', title: 'Evil', description: '', tools: [], ...server }, 'person');
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(await WAYS.find(({ name }) => name === 'ACP with connections')!.open(bench, '2025'));
    return client;
  }

  /** What the agent is told of a call that reports these shares. */
  async function progressOf(shares: readonly (number | undefined)[]): Promise<readonly Progress[]> {
    const call: Tool['call'] = async (_input, { progress }) => {
      for (const share of shares) progress('m'.repeat(100_000), share);
      return { text: '' };
    };
    const input = { type: 'object' } as const;
    const tool = { name: 'slow', title: '', description: '', input, annotations: {}, approval: 'free', call } as const;
    const client = await connect({ tools: [tool] });
    const seen: Progress[] = [];
    await client.callTool({ name: 'slow' }, undefined, { onprogress: (progress) => void seen.push(progress) });
    await client.close();
    return seen;
  }

  it('cannot block the window by the patterns of a schema', async () => {
    const said = { type: 'string', pattern: '^(a+)+$' };
    const { validate } = toSchema(library, { type: 'object', properties: { said } })['~standard'];
    assert.ok((await validate({ said: 'b' })).issues, 'it is still checked');
    const before = process.cpuUsage();
    assert.equal((await validate({ said: `${'a'.repeat(28)}!` })).issues, undefined);
    assert.equal((await validate({ said: `${'a'.repeat(28)}!` })).issues, undefined);
    assert.ok(process.cpuUsage(before).user < 1_500_000, 'it was stopped');
  });

  it('cannot replace a schema of another server that has the same $id', async () => {
    const schemaOf = (type: string): Parameters<typeof toSchema>[1] => ({
      $id: 'https://example.com/in',
      type: 'object',
      properties: { n: { type } },
    });
    const [evil, good] = ['string', 'number'].map((type) => toSchema(library, schemaOf(type))['~standard']);
    assert.equal((await evil!.validate({ n: 'x' })).issues, undefined);
    assert.equal((await good!.validate({ n: 1 })).issues, undefined);
    assert.ok((await good!.validate({ n: 'x' })).issues);
  });

  it('cannot block the window by the variables of a resource template', async () => {
    const template = { name: 'slow', title: '', description: '' };
    const client = await connect({
      resources: [],
      templates: [
        { ...template, pattern: 'x://{+a}{+b}{+c}!', read: async () => [] },
        { ...template, name: 'plain', pattern: 'x://{a}', read: async (uri) => [{ uri, text: 'plain' }] },
      ],
    });
    const before = process.cpuUsage();
    const uri = `x://${'a'.repeat(2_000)}`;
    assert.deepEqual((await client.readResource({ uri })).contents, [{ uri, text: 'plain' }]);
    assert.ok(process.cpuUsage(before).user < 1_500_000, 'it is matched in linear time');
    await client.close();
  });

  it('cannot send a progress that decreases, is no number, or is too long to be shown', async () => {
    const reported = [0.5, Number.NaN, Number.POSITIVE_INFINITY, -1, 0.2, undefined, 0.75, 1, 1e300, undefined];
    const seen = await progressOf(reported);
    assert.deepEqual(
      seen.map(({ progress, total }) => `${progress.toFixed(2)} ${total}`),
      [...Array<string>(6).fill('0.50 1'), '0.75 1', '1.00 1', '2.00 undefined', '3.00 undefined'],
    );
    for (const [index, { progress }] of seen.entries()) assert.ok(progress > (seen[index - 1]?.progress ?? 0));
    assert.ok(seen.every(({ message = '' }) => message.length <= 2_000));
  });

  it('can begin a progress at zero', async () => {
    const seen = await progressOf([0, 0, 0.5, 1]);
    assert.deepEqual(
      seen.map(({ progress, total }) => `${progress.toFixed(2)} ${total}`),
      ['0.00 1', '0.00 1', '0.50 1', '1.00 1'],
    );
    assert.ok(seen[1]!.progress > 0, 'each value exceeds the last');
  });

  it('can begin a share after messages without one', async () => {
    const seen = await progressOf([undefined, undefined, undefined, 0.25, 0.5]);
    assert.deepEqual(
      seen.map(({ progress, total }) => `${progress.toFixed(2)} ${total}`),
      ['0.00 undefined', '0.00 undefined', '0.00 undefined', '0.25 1', '0.50 1'],
    );
    for (const [index, { progress }] of seen.entries()) assert.ok(progress > (seen[index - 1]?.progress ?? 0));
  });

  it('cannot report progress without end', async () => {
    const seen = await progressOf(Array.from({ length: 10_000 }, (_, at) => at / 10_000));
    assert.ok(seen.length >= 20 && seen.length < 100, `${seen.length} messages`);
  });

  it('cannot report updates of a resource without end', async () => {
    const updated = new Emitter<string>();
    const client = await connect({ resources: [], onDidUpdate: updated.event });
    for (const uri of ['x://a', 'x://b']) await client.subscribeResource({ uri });
    const seen: string[] = [];
    const isOver = new Promise<void>((resolve) =>
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => {
        seen.push(uri);
        if (uri === 'x://b') resolve();
      }),
    );
    for (let count = 0; count < 1_000; count++) updated.fire('x://a');
    updated.fire('x://b');
    await isOver;
    assert.deepEqual(seen, ['x://a', 'x://b']);
    await client.close();
  });

  it('are logged once when they are skipped, not with each change of the rules', async () => {
    const about = { title: '', description: '', mimeType: 'text/plain', read: async () => '' };
    const call: Tool['call'] = async () => ({ text: '' });
    const tool = { ...about, input: { type: 'object' }, annotations: {}, approval: 'free', call } as const;
    const warned: string[] = [];
    bench = createBench({ ...nullLogger, warn: (_tag, message) => void warned.push(message) });
    const client = await connect({
      tools: ['add', 'toString', 'sub'].map((name) => ({ ...tool, name })),
      resources: ['x://host/a', 'X://host/a'].map((uri) => ({ ...about, uri, name: uri })),
      prompts: () => [],
    });
    for (const hidden of ['evil__add', 'evil__sub', 'evil__toString']) {
      bench.gate.hidden.add(hidden);
      bench.gate.changed.fire();
    }
    assert.deepEqual(
      warned.map((line) => /the (\w+ \S+) of/.exec(line)?.[1]),
      ['tool toString', 'resource X://host/a'],
    );
    await client.close();
  });

  it('cannot end the connection by giving two definitions one name, or the URI of one resource twice', async () => {
    const about = { title: '', description: '' };
    const call =
      (text: string): Tool['call'] =>
      async () => ({ text });
    const tool = { ...about, input: { type: 'object' }, annotations: {}, approval: 'free' } as const;
    const changed = new Emitter<void>();
    const resources = ['x://host/a/../b', 'x://host/b', 'X://host/c'].map((uri) => ({
      ...about,
      uri,
      name: uri,
      mimeType: 'text/plain',
      read: async () => uri,
    }));
    const server = {
      onDidChange: changed.event,
      tools: ['add', 'add', 'toString', 'sub'].map((name, index) => ({
        ...tool,
        name,
        call: call(`${name} ${index}`),
      })),
      prompts: () =>
        ['sum', 'sum', 'toString'].map((name, index) => ({
          ...about,
          name,
          arguments: [],
          render: async () => `${index}`,
        })),
      resources,
      templates: ['x://{a}', 'x://{a}', 'x://{b}'].map((pattern) => ({
        ...about,
        name: 'row',
        pattern,
        read: async () => [],
      })),
    };
    const client = await connect(server);
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['add', 'sub'],
    );
    assert.deepEqual((await client.callTool({ name: 'add' })).content, [{ type: 'text', text: 'add 0' }]);
    assert.deepEqual(
      (await client.listPrompts()).prompts.map(({ name }) => name),
      ['sum', 'toString'],
    );
    const uris = async (): Promise<readonly string[]> => (await client.listResources()).resources.map(({ uri }) => uri);
    assert.deepEqual(await uris(), ['x://host/b', 'x://host/c']);
    resources.shift();
    changed.fire();
    assert.deepEqual(await uris(), ['x://host/c', 'x://host/b'], 'the second one takes its place');
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 4, 'with the one of long results');
    await client.close();
  });
});
