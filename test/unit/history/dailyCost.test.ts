import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DailyCost } from '../../../src/history/dailyCost';
import { temporaryFolder } from '../../kit/temporaryFolder';

const DAY = 86_400_000;

describe('the cost of a day, while the clock is set', () => {
  let folder: string;
  let now: number;
  let cost: DailyCost;

  beforeEach(() => {
    folder = temporaryFolder();
    now = new Date(2026, 10, 28, 12).getTime();
    cost = new DailyCost(join(folder, 'cost.json'), () => now);
  });

  const spend = async (amount: number): Promise<void> => void (await cost.add({ amount, currency: 'USD' }));
  const spent = async (): Promise<number> => (await cost.sums())[0]?.amount ?? 0;

  it('is kept when the clock is set back, and when it is corrected', async () => {
    await spend(3);
    now -= 400 * DAY;
    assert.equal(await spent(), 3);
    await spend(4);
    assert.equal(await spent(), 7);
    now += 400 * DAY;
    await spend(0);
    assert.ok((await spent()) <= 7, 'the days before are over');
  });

  it('is still known when the clock was ahead for a while, with what was spent meanwhile', async () => {
    for (const days of [1, 31, 4_000]) {
      const before = await spent();
      await spend(3);
      now += days * DAY;
      await spend(4);
      assert.equal(await spent(), 4, 'another day');
      now -= days * DAY;
      assert.equal(await spent(), before + 7);
    }
    await spend(1);
    now += DAY;
    assert.equal(await spent(), 0, 'nothing of the future stays');
  });

  it('begins again each day', async () => {
    for (let day = 0; day < 5; day++) {
      await spend(day + 1);
      assert.equal(await spent(), day + 1);
      now += DAY;
    }
  });

  it('reads the file of an earlier version, and a damaged list of days', async () => {
    for (const earlier of [undefined, 'none', [1, { day: 2 }, { sums: { USD: 5 } }]]) {
      await writeFile(join(folder, 'cost.json'), JSON.stringify({ day: '2026-11-28', sums: { USD: 2 }, earlier }));
      assert.equal(await spent(), 2);
    }
  });
});
