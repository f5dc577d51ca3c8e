import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { ClockTarget } from '../../fuzz/clockTarget';
import { pureTargets } from '../../fuzz/pureTargets';
import { ReviewModelTarget } from '../../fuzz/reviewModelTarget';
import { fuzz } from '../../fuzz/runner';
import type { Target } from '../../fuzz/target';
import { anyInput } from '../../fuzz/target';
import { WireTarget } from '../../fuzz/wireTarget';

/** The same few cases in every run, one batch or two of a target; `npm run fuzz` tries many new ones. */
const SEED = 20261121;
const CASES = 100;

describe('hostile: odd input, a short run', () => {
  for (const target of [...pureTargets, new ClockTarget(), new WireTarget(), new ReviewModelTarget()]) {
    it(`${target.name} passes ${CASES} cases`, async () => {
      const { cases, failures } = await fuzz(target, { seed: SEED, goesOn: (done) => done < CASES });
      assert.equal(failures.join('\n\n'), '');
      assert.equal(cases, CASES);
    });
  }

  it('reports an error with the smallest input and the seed to repeat it', async () => {
    const property = (): ReturnType<Target['property']> =>
      anyInput(fc.property(fc.string(), (text) => assert.ok(!text.includes('x'))));
    const broken: Target = { name: 'broken', property };
    const { failures } = await fuzz(broken, { seed: 1, goesOn: (done) => done < 5_000 });
    assert.match(failures[0] ?? '', /^seed \d+, case \d+, path "[\d:]+", made smaller \d+ times\ninput: \["x"\]\n/);
  });
});
