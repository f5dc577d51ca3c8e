import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { JsonObject } from '../../../../src/base/json';
import type { ToolCall } from '../../../../src/mcp/calls/callGate';
import type { Tool } from '../../../../src/mcp/contract/toolServerTypes';
import type { ToolResult } from '../../../../src/session/toolServer';
import type { Bench } from '../sample';
import { createBench } from '../sample';
import { WAYS } from '../transport/transports';

const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'], additionalProperties: false };
const REFERS = {
  type: 'object',
  properties: { sum: { $ref: '#/$defs/number' } },
  required: ['sum'],
  $defs: { number: { type: 'number' } },
};
const WAITING: ToolResult = { text: 'awaiting_approval: …', structured: { status: 'awaiting_approval', handle: 'h1' } };

const info = { name: 'client', version: '1.0.0' };

/** Tools of extensions and of other servers have JSON Schemas, against which the client validates results. */
for (const era of ['2025', '2026'] as const) {
  describe(`The result of a tool with a JSON Schema, at the official client of ${era},`, () => {
    let bench: Bench;
    let given: unknown;
    let answer: ToolResult;
    let call: (name: string, input: JsonObject) => Promise<JsonObject>;
    let close: () => Promise<void>;

    beforeEach(async () => {
      bench = createBench();
      const tool = (name: string, output: JsonObject): Tool => ({
        name,
        title: name,
        description: name,
        input: { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false },
        output,
        annotations: {},
        approval: 'policy',
        call: () => assert.fail('the gate answers'),
      });
      const tools = [
        tool('sum', SUM),
        tool('refers', REFERS),
        tool('draft', { $schema: 'http://json-schema.org/draft-07/schema#', ...SUM }),
      ];
      bench.gate.hidden.add('sample');
      bench.servers.add({ name: 'ext', title: 'Ext', description: 'Ext', tools }, 'extension');
      bench.gate.call = async ({ input }: ToolCall) => {
        given = input;
        return answer;
      };
      const transport = await WAYS[0]!.open(bench, era);
      const client =
        era === '2025'
          ? new OldClient(info)
          : new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      await client.connect(transport);
      // The client validates results of tools whose schema it knows.
      await client.listTools();
      call = async (name, input) => client.callTool({ name, arguments: input });
      close = () => client.close();
    });
    afterEach(async () => {
      await close();
      await bench.hostedServers.dispose();
    });

    for (const name of ['sum', 'refers', 'draft']) {
      it(`may be a handle, which the next call accepts: ${name}`, async () => {
        answer = WAITING;
        const first = await call(name, { a: 1 });
        assert.deepEqual([first['structuredContent'], first['isError'] ?? false], [WAITING.structured, false]);
        answer = { text: '3', structured: { sum: 3 } };
        const second = await call(name, { a: 1, handle: 'h1' });
        assert.deepEqual([second['structuredContent'], given], [{ sum: 3 }, { a: 1, handle: 'h1' }]);
      });

      it(`may be an error, with or without data: ${name}`, async () => {
        for (const structured of [undefined, { cause: 'disk' }, { sum: 'three' }]) {
          answer = { text: 'It did not work.', isError: true, ...(structured && { structured }) };
          const { isError, content } = await call(name, { a: 1 });
          assert.deepEqual([isError, content], [true, [{ type: 'text', text: 'It did not work.' }]]);
        }
      });

      it(`may be too long: ${name}`, async () => {
        const note = 'x'.repeat(300_000);
        answer = { text: note, structured: { sum: 3 } };
        const kept = await call(name, { a: 1 });
        assert.deepEqual(kept['structuredContent'], { sum: 3 });
        answer = { text: '', structured: { sum: 3, note } };
        const { content } = await call(name, { a: 1 });
        assert.match(JSON.stringify(content), /Read the resource result:.*"resource_link"/);
      });
    }

    it('is still validated otherwise', async () => {
      answer = { text: '3', structured: { sum: 'three' } };
      const failed = await call('sum', { a: 1 }).then(
        ({ isError }) => isError === true,
        () => true,
      );
      assert.equal(failed, true);
    });
  });
}
