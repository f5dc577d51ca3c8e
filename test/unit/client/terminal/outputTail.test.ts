import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { OutputTail } from '../../../../src/client/terminal/outputTail';

/** Reference implementation of the specification: drops bytes from the start until the rest fits, up to the next character. */
function expected(all: string, limit: number): string {
  const bytes = Buffer.from(all);
  let start = Math.max(0, bytes.length - limit);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start).toString();
}

describe('client/terminal/outputTail', () => {
  it('keeps the end, cut at a character boundary', () => {
    const tail = new OutputTail(4);
    tail.append('abc');
    assert.deepEqual(tail.read(), { output: 'abc', truncated: false });
    tail.append('dé');
    assert.deepEqual(tail.read(), { output: 'cdé', truncated: true });
    tail.append('😀');
    assert.deepEqual(tail.read(), { output: '😀', truncated: true });
    assert.deepEqual(tail.read(3), { output: '', truncated: true });
    assert.deepEqual(new OutputTail(0).read(), { output: '', truncated: false });
  });

  it('matches the specification for any output in any chunks', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(60), fc.nat(80), (pieces, limit, asked) => {
        const tail = new OutputTail(limit);
        for (const text of pieces) tail.append(text);
        const all = pieces.join('');
        const whole = tail.read();
        assert.equal(whole.output, expected(all, limit));
        assert.equal(whole.truncated, whole.output !== all);
        const less = tail.read(asked);
        assert.equal(less.output, expected(all, Math.min(asked, limit)));
        assert.equal(less.truncated, less.output !== all);
      }),
      { numRuns: 1000 },
    );
  });

  it('has a constant cost per byte, whatever was appended before', () => {
    const run = (chunks: number) => {
      const tail = new OutputTail(1024 * 1024);
      const start = process.cpuUsage();
      for (let index = 0; index < chunks; index++) tail.append('0123456789'.repeat(20));
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    run(20_000);
    const small = run(40_000);
    const large = run(320_000);
    // 8 times the data; a quadratic tail would take 64 times as long.
    assert(large < 24 * small + 50_000, `${small} us for 8 MB, ${large} us for 64 MB`);
  });
});
