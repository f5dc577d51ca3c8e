import assert from 'node:assert/strict';
import { runInLanes } from '../../host/lanes.mjs';
import { becomes, until } from '../../kit/waiting';

/** Parts of the tests that run at the same time. */
describe('lanes of parts', () => {
  let endAll = (): Promise<void> => Promise.resolve();
  // Lanes of a test that failed would keep this process alive.
  afterEach(() => endAll());

  /** Runs jobs that end when they are told to; `room`: how often there will be room; `looks`: how often it was looked for. */
  function start(count: number) {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const jobs = Array.from({ length: count }, (_, index) => async () => {
      begun.push(index);
      await new Promise<void>((resolve) => (ends[index] = resolve));
    });
    const machine = { room: 0, looks: 0 };
    const hasRoom = () => {
      machine.looks += 1;
      return machine.room-- > 0;
    };
    const ended = runInLanes(jobs, { pause: 1, hasRoom });
    const looksAgain = async () => {
      const looks = machine.looks;
      await until(() => machine.looks > looks + 3, 'looked at the machine');
    };
    endAll = async () => {
      for (let index = 0; index < count; index++) {
        await until(() => begun.includes(index), `began ${index}`);
        ends[index]?.();
      }
      await ended;
    };
    return { machine, begun, end: (index: number) => ends[index]?.(), looksAgain };
  }

  it('are two, in order, on a machine that has no core to spare', async () => {
    const lanes = start(4);
    await lanes.looksAgain();
    assert.deepEqual(lanes.begun, [0, 1]);
    lanes.end(1);
    await becomes(() => lanes.begun, [0, 1, 2]);
    await endAll();
    assert.deepEqual(lanes.begun, [0, 1, 2, 3]);
  });

  it('are one more each time that a core was idle, and at most four', async () => {
    const lanes = start(6);
    lanes.machine.room = 1;
    await lanes.looksAgain();
    assert.deepEqual(lanes.begun, [0, 1, 2]);
    lanes.machine.room = 1000;
    await lanes.looksAgain();
    assert.deepEqual(lanes.begun, [0, 1, 2, 3]);
    await endAll();
  });

  it('end with the error of a job', async () => {
    const jobs = [() => Promise.reject(new Error('it was not built')), () => new Promise<void>(() => undefined)];
    await assert.rejects(runInLanes(jobs), /it was not built/);
  });
});
