import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exceedingLimits } from '../../../src/history/retentionLimits';

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60_000;

describe('retention of transcripts', () => {
  const file = fc.record({ id: fc.uuid(), size: fc.nat(3 * MIB), at: fc.nat(20 * DAY), isExempt: fc.boolean() });
  const files = fc.uniqueArray(file, { selector: ({ id }) => id, maxLength: 12 });

  it('does not count a large open session against the others', () => {
    const all = [
      { id: 'open', size: 50 * MIB, at: 1, isExempt: true },
      { id: 'newer', size: MIB, at: 3, isExempt: false },
      { id: 'older', size: MIB, at: 2, isExempt: false },
      { id: 'oldest', size: 1, at: 0, isExempt: false },
    ];
    assert.deepEqual(exceedingLimits(all, { maxSizeMB: 10, maxAgeDays: 0 }, 10), ['oldest']);
  });

  it('keeps spared transcripts, stays within size and age, and drops the oldest first', () => {
    fc.assert(
      fc.property(files, fc.nat(8), fc.nat(9), (all, maxSizeMB, maxAgeDays) => {
        const now = 20 * DAY;
        const gone = new Set(exceedingLimits(all, { maxSizeMB, maxAgeDays }, now));
        const kept = all.filter(({ id }) => !gone.has(id));
        const free = kept.filter(({ isExempt }) => !isExempt);
        assert.ok(all.every(({ id, isExempt }) => !isExempt || !gone.has(id)));
        const oldestFree = Math.min(...free.map(({ at }) => at));
        const size = kept.filter(({ at }) => at > oldestFree).reduce((sum, one) => sum + one.size, 0);
        assert.ok(free.length === 0 || size <= maxSizeMB * MIB);
        if (maxAgeDays > 0) assert.ok(free.every(({ at }) => at >= now - maxAgeDays * DAY));
        const newestGone = Math.max(-1, ...all.filter(({ id }) => gone.has(id)).map(({ at }) => at));
        assert.ok(free.every(({ at }) => at >= newestGone));
      }),
    );
  });
});
