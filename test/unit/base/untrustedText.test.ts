import assert from 'node:assert/strict';
import { escapeInvisible } from '../../../src/base/untrustedText';

describe('base/untrustedText', () => {
  it('shows letters without a shape', () => {
    for (const code of [0x115f, 0x1160, 0x3164, 0xffa0])
      assert.equal(escapeInvisible(`rm${String.fromCodePoint(code)}`), `rm\\u{${code.toString(16)}}`);
  });
});
