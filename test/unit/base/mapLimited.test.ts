import assert from 'node:assert/strict';
import { createDeferred, mapLimited } from '../../../src/base/async';

describe('a job for many items', () => {
  it('runs for a limited number at a time, and returns the results in order', async () => {
    let [running, most] = [0, 0];
    const results = await mapLimited([3, 1, 2, 0], 2, async (ticks) => {
      most = Math.max(most, ++running);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      running--;
      return ticks * 10;
    });
    assert.deepEqual(results, [30, 10, 20, 0]);
    assert.equal(most, 2);
  });

  it('fails with the first error, and starts nothing for an empty list', async () => {
    const never = createDeferred<void>();
    const job = (item: number): Promise<void> => (item === 1 ? Promise.reject(new Error('one')) : never.promise);
    await assert.rejects(mapLimited([0, 1], 2, job), /one/);
    assert.deepEqual(await mapLimited([], 2, job), []);
  });
});
