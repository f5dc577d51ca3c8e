import assert from 'node:assert/strict';
import { measure, report } from '../../soak/gauges';

/** Whose objects only this test creates. */
class Session {
  readonly id = 1;
}
class Subscription {
  readonly isActive = true;
}

describe('gauges of a soak', () => {
  it('count the sessions and subscriptions in memory, and measure the process', () => {
    const kept = [new Session(), new Session(), new Subscription()];
    const before = measure(kept[0]!, kept[2]!);
    assert.deepEqual([before.sessions, before.disposables], [2, 1]);
    assert.ok(before.heap > 1);
    kept.push(new Subscription());
    assert.equal(measure(kept[0]!, kept[2]!).disposables, 2);
  });

  it('report a gauge that rises in many rounds', () => {
    const sample = { heap: 50, files: 20, children: 0, resources: 4, listeners: 3, disposables: 100, sessions: 1 };
    const samples = Array.from({ length: 120 }, (_, at) => ({ ...sample, round: at * 5, files: 20 + at }));
    const rising = report(samples).filter((row) => row.includes('RISES'));
    assert.deepEqual(rising.length, 1);
    assert.match(rising[0]!, /^files: 60\.0 to 139\.0, 20\.00 ± 0\.00 in 100 rounds RISES \(at most 2\)/);
    assert.deepEqual(
      report(samples.slice(0, 60)).filter((row) => row.includes('RISES')),
      [],
      'few rounds are not judged',
    );
  });
});
