import assert from 'node:assert/strict';
import fc from 'fast-check';
import { beyondLimits } from '../../../src/session/pruning';

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60_000;

describe('what is kept of transcripts', () => {
  const file = fc.record({ id: fc.uuid(), size: fc.nat(3 * MIB), at: fc.nat(20 * DAY), spared: fc.boolean() });
  const files = fc.uniqueArray(file, { selector: ({ id }) => id, maxLength: 12 });

  it('has room, is not too old, and holds whatever must stay; nothing newer went while something older stayed', () => {
    fc.assert(
      fc.property(files, fc.nat(8), fc.nat(9), (all, maxSizeMB, maxAgeDays) => {
        const now = 20 * DAY;
        const gone = new Set(beyondLimits(all, { maxSizeMB, maxAgeDays }, now));
        const kept = all.filter(({ id }) => !gone.has(id));
        const free = kept.filter(({ spared }) => !spared);
        assert.ok(all.every(({ id, spared }) => !spared || !gone.has(id)));
        const size = kept.reduce((sum, one) => sum + one.size, 0);
        assert.ok(free.length === 0 || size <= maxSizeMB * MIB);
        if (maxAgeDays > 0) assert.ok(free.every(({ at }) => at >= now - maxAgeDays * DAY));
        const newestGone = Math.max(-1, ...all.filter(({ id }) => gone.has(id)).map(({ at }) => at));
        assert.ok(free.every(({ at }) => at >= newestGone));
      }),
    );
  });
});
