import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { substituteMessage, recoverMessageIds } from '../../../src/agent/connection/recoverMessageIds';
import type { JsonObject } from '../../../src/base/json';
import { LINE_LIMIT } from '../../../src/node/process/lineLimits';
import { DEPTH_LIMIT, TOO_DEEP, limitDepth, NdjsonDecoder } from '../../../src/node/process/ndjson';
import type { OversizedLine } from '../../../src/node/process/ndjson';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import { settled } from '../../kit/waiting';
import { Bench } from '../agent/agentBench';
import { SessionBench } from '../session/sessionBench';

/** Decodes `text` with a limit of a few KiB, in chunks of this size. */
function cut(text: string, chunk = 1_000): OversizedLine | undefined {
  let found: OversizedLine | undefined;
  const decoder = new NdjsonDecoder(
    () => undefined,
    (line) => (found = line),
    20_000,
  );
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length; at += chunk) decoder.push(bytes.subarray(at, at + chunk));
  return found;
}

/** Frees every unreferenced object: the target of a WeakRef lives until the current turn of the event loop ends. */
async function collectGarbage(): Promise<void> {
  await settled();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const filler = 'x'.repeat(30_000);

describe('hostile: the wire', () => {
  describe('a message that is too long', () => {
    it('is identified by its beginning and end, for any position of id and method', () => {
      const cases: [object, object][] = [
        [{ jsonrpc: '2.0', id: 7, result: { text: filler } }, { id: 7 }],
        [{ jsonrpc: '2.0', result: { text: filler, id: 3 }, id: 'a"b' }, { id: 'a"b' }],
        [
          { jsonrpc: '2.0', id: 1, method: 'fs/read_text_file', params: { path: filler } },
          { id: 1, method: 'fs/read_text_file' },
        ],
        [
          { params: { path: filler }, method: 'm', id: 2, jsonrpc: '2.0' },
          { id: 2, method: 'm' },
        ],
        [
          { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { text: filler } } },
          { method: 'session/update', sessionId: 's' },
        ],
      ];
      for (const [message, expected] of cases) {
        for (const chunk of [100, 7_777, 1_000_000]) {
          const line = cut(JSON.stringify(message), chunk);
          assert.ok(line);
          assert.equal(line.bytes, JSON.stringify(message).length);
          assert.deepEqual(recoverMessageIds(line), expected);
        }
      }
    });

    it('is not read as a response because of its content', () => {
      for (const text of [
        `{"jsonrpc":"2.0","params":{"x":"${filler}","id":5}}`,
        `{"jsonrpc":"2.0","result":"${filler},\\"id\\":5}"}`,
        `["${filler}"]`,
        filler,
      ]) {
        const line = cut(text);
        assert.ok(line);
        assert.equal(recoverMessageIds(line), undefined, text.slice(0, 40));
      }
    });

    it('rejects the requests that wait for it', () => {
      assert.deepEqual(substituteMessage({ id: 1 }, 'why'), {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'why' },
      });
      assert.equal(substituteMessage({ id: 1, method: 'fs/read_text_file' }, 'why'), undefined);
      assert.equal(
        substituteMessage({ method: 'session/update', sessionId: 's' }, 'why')?.['method'],
        'session/update',
      );
    });

    it('is reported while it arrives, and only its beginning and end are buffered', async () => {
      let told = 0;
      let dropped: OversizedLine | undefined;
      const decoder = new NdjsonDecoder(
        () => assert.fail(),
        (line) => (dropped = line),
        1_000_000,
        () => told++,
      );
      const pushed: WeakRef<ArrayBufferLike>[] = [];
      for (let index = 0; index < 1_000; index++) {
        const chunk = Buffer.alloc(65_536, 'a');
        pushed.push(new WeakRef(chunk.buffer));
        decoder.push(chunk);
      }
      assert.equal(told, 1);
      await collectGarbage();
      const retained = pushed.filter((chunk) => chunk.deref()).length;
      // The last one may still be on the stack.
      assert.ok(retained <= 1, `${retained} chunks`);
      decoder.end();
      assert.equal(dropped?.bytes, 65_536_000);
      assert.ok(dropped.beginning.length <= 4_096 && dropped.ending.length <= 4_096);
    });

    it('leaves a notice in its chat if it has too many values, and the turn continues', async () => {
      const bench = await SessionBench.open();
      try {
        await bench.send('manyvalues 10000000', 'text still here');
        assert.match(bench.text, /is longer than 1 MiB with more than 250000 values and was left out/);
        assert.match(bench.text, /still here/);
      } finally {
        await bench.close();
      }
    });

    it('leaves a notice in its chat, and the turn continues', async () => {
      const bench = await SessionBench.open();
      try {
        await bench.send(`bigline ${LINE_LIMIT + 10}`, 'text still here');
        assert.match(bench.text, /is longer than 64 MiB and was left out/);
        assert.match(bench.text, /still here/);
      } finally {
        await bench.close();
      }
    });
  });

  describe('a message that is nested deeply', () => {
    it('keeps values above the depth limit, and marks the removed ones', () => {
      const message = { jsonrpc: '2.0', id: 1, result: { deep: nested(100_000), flat: [1, { a: 2 }] } } as JsonObject;
      assert.ok(limitDepth(message));
      const text = JSON.stringify(message);
      assert.ok(text.includes(JSON.stringify(TOO_DEEP)));
      assert.ok(text.endsWith('"flat":[1,{"a":2}]}}'));
    });

    it('stays unchanged if it is within the depth limit', () => {
      fc.assert(
        fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 })), (message) => {
          const before = JSON.stringify(message);
          assert.equal(limitDepth(message), false);
          assert.equal(JSON.stringify(message), before);
        }),
      );
      assert.equal(limitDepth({ a: nested(DEPTH_LIMIT - 1) }), false);
      assert.equal(limitDepth({ a: nested(DEPTH_LIMIT) }), true);
    });

    it('is cut in a field of any name', () => {
      const message = JSON.parse(`{"a":{"__proto__":${'['.repeat(300)}${']'.repeat(300)}}}`) as JsonObject;
      assert.ok(limitDepth(message));
      assert.ok(JSON.stringify(message).startsWith('{"a":{"__proto__":[['));
      assert.ok(JSON.stringify(message).includes('levels deep'));
    });

    it('is cut in a batch, too, and answered', async () => {
      const bench = await SessionBench.open();
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      try {
        await bench.send(
          `raw [{"jsonrpc":"2.0","id":"z","method":"unknown/deep","params":${deep}}]`,
          'request parley/barrier {}',
          'text still here',
        );
        assert.match(bench.text, /still here/);
        assert.ok(bench.received().some((message) => 'error' in message && message['id'] === 'z'));
      } finally {
        await bench.close();
      }
    });

    it('passes through process, traffic, session and log', async () => {
      const bench = await SessionBench.open();
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const update = (inner: string): string =>
        `raw {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":${inner}}}`;
      try {
        await bench.send(
          update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Deep","rawInput":{"x":${deep}}}`),
          update(`{"sessionUpdate":"strange","x":${deep}}`),
          `raw {"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"$SESSION","toolCall":{"toolCallId":"t","rawInput":${deep}},"options":[]}}`,
          `raw {"jsonrpc":"2.0","id":"z","method":"unknown/deep","params":${deep}}`,
          // Its response comes last: then the agent has received the other responses too.
          'request parley/barrier {}',
          'text still here',
        );
        assert.match(bench.text, /still here/);
        assert.ok(JSON.stringify(Array.from(entriesFrom(bench.session.state.entries))).includes(TOO_DEEP));
        const ids = bench.received().filter((message) => 'error' in message || 'result' in message);
        assert.ok(ids.some(({ id }) => id === 'z'));
      } finally {
        await bench.close();
      }
    });
  });

  it('accepts unusual but valid JSON, and answers requests with unusual ids', async () => {
    const bench = await new Bench().open();
    try {
      await bench.prompt(
        'raw {"jsonrpc":"2.0","id":{"a":1},"method":"fs/read_text_file","params":{}}',
        'raw {"jsonrpc":"2.0","id":[1],"method":"fs/read_text_file","params":{}}',
        'raw {"jsonrpc":"2.0","id":9007199254740993,"method":"fs/read_text_file","params":{}}',
        'raw {"jsonrpc":"2.0","id":1e999,"method":"fs/read_text_file","params":{}}',
        'raw {"jsonrpc":"2.0","id":1.5,"method":"none/such","params":null}',
        'raw {"jsonrpc":"2.0","id":-5,"method":"none/such"}',
        'raw {"jsonrpc":"2.0","id":"\\ud800","method":"none/such"}',
        'raw {"jsonrpc":"2.0","method":"session/update","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"first","text":"second \\udc00"}}}}',
        'raw {"jsonrpc":"2.0","__proto__":{"method":"x"},"method":"session/update","params":{"__proto__":{"sessionId":"$SESSION"},"constructor":1,"update":{}}}',
        'request parley/barrier {}',
        'text done',
      );
      assert.match(bench.text, /^second \udc00.*done$/s);
      const errors = bench.received().filter((message) => 'error' in message);
      const answered = errors.map(({ id, error }) => [id, (error as { code: number }).code]);
      assert.deepEqual(answered, [
        [null, -32600],
        [null, -32600],
        [null, -32600],
        [null, -32600],
        [1.5, -32601],
        [-5, -32601],
        ['\ud800', -32601],
        [0, -32601],
      ]);
      assert.equal(({} as JsonObject)['method'], undefined);
    } finally {
      await bench.close();
    }
  });
});
