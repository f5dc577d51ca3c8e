import assert from 'node:assert/strict';
import { createDeferred } from '../../../src/base/async';
import { Lazy } from '../../../src/base/lazy';

describe('Lazy', () => {
  it('loads once, on first use', async () => {
    let loads = 0;
    const lazy = new Lazy(async () => {
      loads += 1;
      return { number: loads };
    });
    assert.deepEqual([loads, lazy.isLoaded, lazy.value], [0, false, undefined]);
    const [first, second] = await Promise.all([lazy.load(), lazy.load()]);
    assert.equal(first, second);
    assert.equal(await lazy.load(), first);
    assert.deepEqual([loads, lazy.isLoaded, lazy.value], [1, true, first]);
  });

  it('tries again after a failure', async () => {
    const results = [Promise.reject(new Error('The file is gone')), Promise.resolve('loaded')];
    const lazy = new Lazy(() => results.shift()!);
    const both = await Promise.allSettled([lazy.load(), lazy.load()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(lazy.isLoaded, false);
    assert.equal(await lazy.load(), 'loaded');
  });

  it('disposes the loaded value once', async () => {
    let disposed = 0;
    const lazy = new Lazy(async () => ({ dispose: () => (disposed += 1) }));
    await lazy.load();
    lazy.dispose();
    lazy.dispose();
    assert.equal(disposed, 1);
  });

  it('disposes what arrives after disposal, and loads nothing to dispose it', async () => {
    let disposed = 0;
    const arrival = createDeferred<{ dispose(): void }>();
    const late = new Lazy(() => arrival.promise);
    const loading = late.load();
    late.dispose();
    arrival.resolve({ dispose: () => (disposed += 1) });
    await loading;
    assert.equal(disposed, 1);
    let loads = 0;
    new Lazy(async () => (loads += 1)).dispose();
    assert.equal(loads, 0);
  });
});
