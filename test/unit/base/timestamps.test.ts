import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTime, isoTime } from '../../../src/base/timestamps';

describe('base/timestamps', () => {
  it('gives a date to every moment that has one, and never throws', () => {
    assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
    assert.equal(isoTime(8.64e15 + 1), undefined);
    fc.assert(
      fc.property(fc.double(), (at) => {
        assert.equal(isTime(at), !Number.isNaN(new Date(at).getTime()));
        assert.equal(isoTime(at) === undefined, !isTime(at));
      }),
    );
  });
});
