import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { toSchema } from '../../../../src/mcp/host/toolSchemas';
import * as library from '../../../../src/mcp/host/mcpServerSdk';
import type { ToolServer } from '../../../../src/mcp/toolServerTypes';
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
});
