import assert from 'node:assert/strict';
import { DelayedCall } from '../../../src/base/clock';
import { TestClock } from '../../kit/testClock';

describe('a delayed call', () => {
  const create = (): { clock: TestClock; call: DelayedCall; count: () => number } => {
    const clock = new TestClock();
    let count = 0;
    const call = new DelayedCall(100, () => void count++, clock);
    return { clock, call, count: () => count };
  };

  it('runs once for all calls during the delay', async () => {
    const { clock, call, count } = create();
    call.schedule();
    await clock.pass(60);
    call.schedule();
    await clock.pass(40);
    assert.equal(count(), 1);
    await clock.pass(1_000);
    assert.equal(count(), 1);
    call.schedule();
    await clock.pass(100);
    assert.equal(count(), 2);
  });

  it('waits for the end of the calls when each restarts the delay', async () => {
    const { clock, call, count } = create();
    call.restart();
    await clock.pass(60);
    call.restart();
    await clock.pass(60);
    assert.equal(count(), 0);
    await clock.pass(40);
    assert.equal(count(), 1);
  });

  it('does not run after it was canceled, until it is scheduled again', async () => {
    const { clock, call, count } = create();
    call.schedule();
    call.cancel();
    await clock.pass(1_000);
    assert.equal(count(), 0);
    call.schedule();
    await clock.pass(100);
    assert.equal(count(), 1);
  });

  it('never runs after the end of its owner', async () => {
    const { clock, call, count } = create();
    call.schedule();
    call.dispose();
    call.schedule();
    call.restart();
    await clock.pass(1_000);
    assert.equal(count(), 0);
    assert.equal(clock.waiting, 0);
  });
});
