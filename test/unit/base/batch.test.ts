import assert from 'node:assert/strict';
import { createDeferred } from '../../../src/base/async';
import { Batch } from '../../../src/base/batch';

describe('batch', () => {
  it('runs the first look-up immediately, and all later ones together after it', async () => {
    const runs: (readonly string[])[] = [];
    const gate = createDeferred<void>();
    const batch = new Batch<string, number>(async (keys) => {
      runs.push(keys);
      await gate.promise;
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.length]));
    });
    const answers = [batch.get(['a']), batch.get(['bb', 'none']), batch.get(['ccc', 'bb'])];
    assert.deepEqual(runs, [['a']]);
    gate.resolve();
    const found = await Promise.all(answers);
    assert.deepEqual(runs, [['a'], ['bb', 'none', 'ccc']]);
    assert.deepEqual(
      found.map((each) => [...each]),
      [
        [['a', 1]],
        [['bb', 2]],
        [
          ['ccc', 3],
          ['bb', 2],
        ],
      ],
    );
    assert.deepEqual([...(await batch.get(['a']))], [['a', 1]]);
  });

  it('rejects only the look-up whose key fails', async () => {
    const gate = createDeferred<void>();
    const batch = new Batch<string, string>(async (keys) => {
      await gate.promise;
      if (keys.includes('bad')) throw new Error('bad key');
      return new Map(keys.map((key) => [key, key]));
    });
    const first = batch.get(['first']);
    const [good, bad] = [batch.get(['good']), batch.get(['bad'])];
    gate.resolve();
    await first;
    await assert.rejects(bad, /bad key/);
    assert.deepEqual([...(await good).keys()], ['good']);
  });
});
