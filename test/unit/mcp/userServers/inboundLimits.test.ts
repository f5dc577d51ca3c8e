import assert from 'node:assert/strict';
import { InboundLimits } from '../../../../src/mcp/userServers/connection/inboundLimits';
import { TestClock } from '../../../kit/testClock';

describe('Messages of a server', () => {
  it('may have a limited number of values, texts aside', () => {
    const check = (framing: 'line' | 'event' | 'body', ...texts: string[]): string | undefined => {
      const limits = new InboundLimits(framing, new TestClock());
      return texts.map((text) => limits.check(Buffer.from(text))).findLast((problem) => problem !== undefined);
    };
    const problem = 'the server sent a message with more than 250000 values';
    const half = `${'1,'.repeat(130_000)}\n`;
    assert.equal(check('body', half, half), problem);
    assert.equal(check('event', `data: [${half}data: ${half}`), problem);
    assert.equal(check('event', `data: [${half}\n`, `data: [${half}`), undefined);
    assert.equal(
      check('event', `: "\rdata: [${half}data: ${half}`),
      problem,
      'a quotation mark of a comment ends with it',
    );
    assert.equal(check('event', `data: [${half}\r\n\r\n`, `data: [${half}\r\r`, `data: [${half}`), undefined);
    assert.equal(check('event', `data: [${half.trim()}\r\n`, `data: [${half}`), problem);
    assert.equal(check('line', half, half), undefined);
    assert.equal(check('line', `[${'{'.repeat(150)}${'[],'.repeat(130_000)}`), problem);
    assert.equal(check('body', `"${',['.repeat(300_000)}"`), undefined);
  });
});
