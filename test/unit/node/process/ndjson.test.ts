import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import * as fc from 'fast-check';
import {
  NdjsonDecoder,
  messageAfterUnfinished,
  parseBatch,
  parseMessage,
  writeLine,
} from '../../../../src/node/process/ndjson';
import { ValueCounter } from '../../../../src/node/process/valueCounter';
import { settled } from '../../../kit/waiting';

function decode(chunks: readonly Uint8Array[], limit?: number): { lines: string[]; dropped: number[] } {
  const lines: string[] = [];
  const dropped: number[] = [];
  const decoder = new NdjsonDecoder(
    (line) => lines.push(line),
    ({ bytes }) => dropped.push(bytes),
    limit,
  );
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return { lines, dropped };
}

/** Splits the bytes at these positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('bytes to lines', () => {
  it('produces the same lines for any chunks', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), (texts, places, end) => {
        const bytes = Buffer.from(texts.map((text) => text + end).join(''));
        const wanted = texts.map((text) => Buffer.from(text).toString('utf8')).filter((text) => text !== '');
        assert.deepEqual(decode(cut(bytes, places)).lines, wanted);
      }),
    );
  });

  it('does not split characters at chunk borders', () => {
    const bytes = Buffer.from('äöü 漢字 👩‍👩‍👧\n😀\n');
    const { lines } = decode([...bytes].map((byte) => Uint8Array.of(byte)));
    assert.deepEqual(lines, ['äöü 漢字 👩‍👩‍👧', '😀']);
  });

  it('emits a last line without a line end', () => {
    assert.deepEqual(decode([Buffer.from('one\ntwo')]).lines, ['one', 'two']);
  });

  describe('of more than 1 MiB', () => {
    const chunked = (text: string, size = 65_536): Buffer[] => {
      const bytes = Buffer.from(text);
      const places = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
      return places.map((at) => bytes.subarray(at, at + size));
    };

    it('are dropped if they have too many values, whatever values', () => {
      for (const value of ['1,', '[],', '{"a":1},', '{"a":', '[', '[{},"\\\\",'])
        for (const size of [4, 60]) {
          const line = `{"id":1,"x":[${value.repeat((size * 2 ** 20) / value.length)}`;
          const { lines, dropped } = decode(chunked(`before\n${line}\nafter\n`));
          assert.deepEqual(lines, ['before', 'after'], value);
          assert.deepEqual(dropped, [line.length]);
        }
    });

    it('are read if they are long texts, whatever the texts contain', () => {
      for (const text of ['a,', '{"[,', '\\,"', 'ä'.repeat(10), '\\']) {
        const line = JSON.stringify({ id: 1, text: text.repeat((17 * 2 ** 20) / text.length), last: [1, { a: 2 }] });
        const { lines, dropped } = decode(chunked(`before\n${line}\nafter\n`));
        assert.deepEqual(dropped, [], text);
        assert.ok(lines.length === 3 && lines[1] === line && lines[2] === 'after', text);
      }
    });

    it('are counted the same for any chunks', () => {
      const json = fc.json({ maxDepth: 4 }).map((text) => `[${text},"\\\\\\"{,",{}]`);
      fc.assert(
        fc.property(json, fc.integer({ min: 1, max: 9 }), (text, size) => {
          const counter = new ValueCounter();
          for (const chunk of chunked(text, size)) counter.push(chunk);
          const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
          assert.equal(counter.count, outside.match(/[,[{]/g)?.length);
        }),
      );
    });

    it('are read with some values, and counted anew for each line', () => {
      const line = JSON.stringify({ list: Array.from({ length: 200_000 }, () => 'x'.repeat(90)) });
      assert.deepEqual(decode(chunked(`${line}\n`.repeat(3))).dropped, []);
    });
  });

  it('keeps shorter lines with many values', () => {
    const line = JSON.stringify({ list: Array.from({ length: 500_000 }, () => 1) });
    assert.equal(decode([Buffer.from(`${line}\n`)]).lines[0], line);
  });

  it('drops a line over the limit, reports its size and continues', () => {
    const bytes = Buffer.from(`short\n${'x'.repeat(1000)}\nafter\n`);
    for (const places of [[], [10], [500, 700], [1006]]) {
      assert.deepEqual(decode(cut(bytes, places), 100), { lines: ['short', 'after'], dropped: [1000] });
    }
    assert.deepEqual(decode([Buffer.from('x'.repeat(100)), Buffer.from('\n')], 100).dropped, []);
  });

  it('handles a long line in linear time', () => {
    const time = (megabytes: number): number => {
      const chunks = Array.from({ length: megabytes * 16 }, () => Buffer.alloc(65_536, 'x'));
      const start = process.cpuUsage();
      assert.equal(decode(chunks).lines[0]?.length, megabytes * 1_048_576);
      return process.cpuUsage(start).user + process.cpuUsage(start).system;
    };
    time(4);
    const [small, large] = [Math.min(time(4), time(4), time(4)), Math.min(time(32), time(32), time(32))];
    // Eight times as long; quadratic joining would take 64 times.
    assert.ok(large < small * 30 + 20_000, `${small} µs for 4 MiB, ${large} µs for 32 MiB`);
  });
});

describe('messages in lines', () => {
  it('distinguishes a message from other output', () => {
    assert.deepEqual(parseMessage(' {"jsonrpc":"2.0","id":1}'), { jsonrpc: '2.0', id: 1 });
    assert.deepEqual(parseMessage('\uFEFF{"jsonrpc":"2.0"}'), { jsonrpc: '2.0' });
    for (const noise of ['hello', '{', '{}', '{"jsonrpc":"1.0"}', '[{"jsonrpc":"2.0"}]', 'null', '"{"', '42', '']) {
      assert.equal(parseMessage(noise), undefined, noise);
    }
  });

  it('accepts byte order marks before and after a message, and around a batch', () => {
    const message = { jsonrpc: '2.0', id: 1 };
    const text = JSON.stringify(message);
    for (const line of [`\uFEFF\uFEFF${text}`, ` \uFEFF${text}`, `${text}\uFEFF`, `\uFEFF${text} \uFEFF\r`])
      assert.deepEqual(parseMessage(line), message, JSON.stringify(line));
    assert.deepEqual(parseBatch(`\uFEFF[${text}]\uFEFF`), [message]);
  });

  it('accepts a message of another JSON-RPC version', () => {
    const message = { jsonrpc: '2.0', id: 1, result: {} };
    for (const version of ['"1.0"', '2', 'null'])
      assert.deepEqual(parseMessage(`{"jsonrpc":${version},"id":1,"result":{}}`), message, version);
    assert.equal(parseMessage('{"level":30,"id":1,"msg":"a log line"}'), undefined);
    for (const noise of ['[INFO] started', '[1,2]', '[{"id":1}]', '[]', '{"jsonrpc":"2.0"}'])
      assert.equal(parseBatch(noise), undefined, noise);
  });

  it('finds a message after an unfinished one in the same line', () => {
    const half = '{"jsonrpc":"2.0","method":"session/update","params":{"sess';
    const message = { jsonrpc: '2.0', id: 3, result: { text: '{"jsonrpc"' } };
    assert.deepEqual(messageAfterUnfinished(`${half}${JSON.stringify(message)}`), message);
    for (const noise of [half, `received: ${JSON.stringify(message)}`, `{"text":${JSON.stringify(message)}`, ''])
      assert.equal(messageAfterUnfinished(noise), undefined, noise);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMessage(text)));
    fc.assert(fc.property(fc.string(), (text) => void messageAfterUnfinished(text)));
  });
});

describe('writing lines', () => {
  it('waits while the reader is busy', async () => {
    const taken: string[] = [];
    let take: (() => void) | undefined;
    const slow = new Writable({
      write(chunk, _, done) {
        taken.push(String(chunk));
        take = done;
      },
    });
    let isWritten = false;
    const written = writeLine(slow, '{}').then((error) => {
      isWritten = true;
      return error;
    });
    await settled();
    assert.deepEqual([taken, isWritten], [['{}\n'], false]);
    take?.();
    assert.equal(await written, undefined);
  });

  it('waits for thousands of lines with one listener, and ends all when the stream closes', async () => {
    const stuck = new Writable({ write: () => undefined });
    const written = Array.from({ length: 5_000 }, () => writeLine(stuck, '{}'));
    assert.equal(stuck.listenerCount('close'), 1);
    stuck.destroy();
    for (const error of await Promise.all(written)) assert.match(error?.message ?? '', /closed|destroyed/);
  });

  it('returns the error of a broken pipe instead of throwing it', async () => {
    const broken = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    broken.on('error', () => {});
    assert.match((await writeLine(broken, '{}'))?.message ?? '', /EPIPE|closed/);
    assert.ok((await writeLine(broken, '{}')) instanceof Error);
  });
});
