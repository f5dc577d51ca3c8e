import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CLOCK, isValidTimestamp, toIsoTimestamp } from '../../../src/base/timestamps';

describe('base/timestamps', () => {
  it('formats every valid time, and never throws', () => {
    assert.equal(toIsoTimestamp(0), '1970-01-01T00:00:00.000Z');
    assert.equal(toIsoTimestamp(8.64e15 + 1), undefined);
    fc.assert(
      fc.property(fc.double(), (at) => {
        assert.equal(isValidTimestamp(at), !Number.isNaN(new Date(at).getTime()));
        assert.equal(toIsoTimestamp(at) === undefined, !isValidTimestamp(at));
      }),
    );
  });

  it('has one clock for all languages, in which a day begins at 00', () => {
    const midnight = new Date(2026, 0, 2, 0, 3);
    for (const language of ['en-US', 'en-GB', 'de', 'zh-CN']) {
      assert.equal(midnight.toLocaleTimeString(language, CLOCK), '00:03');
    }
  });
});
