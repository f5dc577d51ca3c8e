import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { standIn } from '../../../kit/stubOf';
import type { Bench } from '../sample';
import { createBench } from '../sample';
import type { WayUnderTest } from './transports';
import { WAYS } from './transports';

/** The common operations of both official clients. */
type AnyClient = Pick<Client, 'listTools' | 'callTool' | 'listResources' | 'readResource' | 'getPrompt' | 'close'>;

interface Connected {
  readonly client: AnyClient;
  /** Subscribes to changes; resolves when the server has confirmed, `told` at the next notification. */
  readonly listen: (what: 'tools' | 'note') => Promise<{ readonly told: Promise<void> }>;
}

const info = { name: 'interop', version: '1.0.0' };

async function connectOld(transport: Transport): Promise<Connected> {
  const client = new OldClient(info);
  await client.connect(transport);
  return {
    client: withSameCall(client),
    listen: async (what) => {
      const { ToolListChangedNotificationSchema, ResourceUpdatedNotificationSchema } =
        await import('@modelcontextprotocol/sdk/types.js');
      if (what === 'note') await client.subscribeResource({ uri: 'ide://note' });
      const schema = what === 'tools' ? ToolListChangedNotificationSchema : ResourceUpdatedNotificationSchema;
      return { told: new Promise((resolve) => client.setNotificationHandler(schema, () => resolve())) };
    },
  };
}

/** The older client takes a schema before the options. */
function withSameCall(client: OldClient): AnyClient {
  const same = {
    listTools: () => client.listTools(),
    callTool: (params: never, options: never) => client.callTool(params, undefined, options),
    listResources: () => client.listResources(),
    readResource: (params: { uri: string }) => client.readResource(params),
    getPrompt: (params: never) => client.getPrompt(params),
    close: () => client.close(),
  };
  return standIn(same);
}

async function connectNew(transport: Transport): Promise<Connected> {
  const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport);
  return {
    client,
    listen: async (what) => {
      const method = what === 'tools' ? 'notifications/tools/list_changed' : 'notifications/resources/updated';
      const filter = what === 'tools' ? { toolsListChanged: true } : { resourceSubscriptions: ['ide://note'] };
      const told = new Promise<void>((resolve) => client.setNotificationHandler(method, () => resolve()));
      await client.listen(filter);
      return { told };
    },
  };
}

for (const way of WAYS) for (const era of way.eras) describeInterop(way, era);

function describeInterop(way: WayUnderTest, era: '2025' | '2026'): void {
  describe(`MCP over ${way.name}: the official client of ${era}`, () => {
    let bench: Bench;
    let connected: Connected;

    beforeEach(async () => {
      bench = createBench();
      const transport = await way.open(bench, era);
      connected = await (era === '2025' ? connectOld(transport) : connectNew(transport));
    });

    afterEach(async () => {
      await connected.client.close();
      await bench.hostedServers.dispose();
    });

    it('lists tools by name and calls one, with data', async () => {
      const { tools } = await connected.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['add', 'big', 'fail', 'step', 'wait'],
      );
      const result = await connected.client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
      assert.deepEqual(result.structuredContent, { sum: 5 });
    });

    it('reports the progress of a call', async () => {
      const told: unknown[] = [];
      const onprogress = (progress: unknown): void => {
        told.push(progress);
        bench.sample.goOn.fire();
      };
      await connected.client.callTool({ name: 'step', arguments: {} }, { onprogress });
      assert.deepEqual(told, [{ progress: 0.5, total: 1, message: 'half of it' }]);
    });

    it('reports invalid arguments, an unknown tool, and a failure', async () => {
      const { client } = connected;
      const wrong = await client.callTool({ name: 'add', arguments: { a: 2 } }).catch((error: unknown) => error);
      assert.match(JSON.stringify(wrong) + String(wrong), /\bb\b/);
      const unknown = await client.callTool({ name: 'nothing', arguments: {} }).catch((error: unknown) => error);
      assert.match(JSON.stringify(unknown) + String(unknown), /nothing/);
      const failed = await client.callTool({ name: 'fail', arguments: {} });
      assert.equal(failed.isError, true);
      assert.deepEqual(failed.content, [{ type: 'text', text: 'It did not work. Try the other one.' }]);
    });

    it('cancels a running call', async () => {
      const abort = new AbortController();
      const begun = new Promise<AbortSignal>((resolve) => bench.sample.begun.event(resolve));
      const call = connected.client.callTool({ name: 'wait', arguments: {} }, { signal: abort.signal });
      const failed = assert.rejects(call);
      const signal = await begun;
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      abort.abort('enough');
      await Promise.all([failed, aborted]);
    });

    it('passes 200,000 characters', async () => {
      const result = await connected.client.callTool({ name: 'big', arguments: { length: 200_000 } });
      assert.deepEqual(result.structuredContent, { length: 200_000 });
      assert.equal((result.content as { text: string }[])[0]?.text.length, 200_000);
    });

    it('reads a resource and renders a prompt', async () => {
      const { client } = connected;
      assert.equal((await client.listResources()).resources[0]?.uri, 'ide://note');
      const { contents } = await client.readResource({ uri: 'ide://note' });
      assert.equal((contents[0] as { text: string }).text, 'note 1');
      const prompt = await client.getPrompt({ name: 'greet', arguments: { whom: 'you' } });
      assert.deepEqual(prompt.messages[0]?.content, { type: 'text', text: 'Hello you' });
    });

    it('reports tools that are no longer offered', async () => {
      await connected.client.listTools();
      const { told } = await connected.listen('tools');
      bench.gate.hidden.add('sample__fail');
      bench.gate.changed.fire();
      await told;
      const { tools } = await connected.client.listTools();
      assert.ok(!tools.some(({ name }) => name === 'fail'));
    });

    it('notifies subscribers of a changed resource', async () => {
      const { told } = await connected.listen('note');
      bench.sample.noteChanged.fire();
      await told;
    });
  });
}
