import { randomUUID } from 'node:crypto';
import { collectGarbage } from '../../kit/collectGarbage';
import { becomes } from '../../kit/waiting';
import { SessionBench } from './sessionBench';

/** Opens a session, closes the one before, which used the same process last, and ends that process. */
async function replaceSession(bench: SessionBench): Promise<WeakRef<object>> {
  const before = bench.session;
  bench.sessions.activate(bench.sessions.open.create(randomUUID()));
  await bench.session.chooseAgent('fake');
  await bench.send('text hello');
  await before.binding.ensureBound('fake');
  await bench.sessions.close(before);
  await bench.send('kill');
  return new WeakRef(before);
}

describe('closed sessions', () => {
  it('are not kept in memory by the agents that they used, nor by later sessions', async () => {
    const bench = await SessionBench.open();
    try {
      await bench.send('kill');
      const closed: WeakRef<object>[] = [];
      for (let count = 0; count < 4; count++) closed.push(await replaceSession(bench));
      // A pending write may hold the last ones a moment longer.
      await becomes(async () => {
        await collectGarbage();
        return closed.filter((each) => each.deref() !== undefined).length;
      }, 0);
    } finally {
      await bench.close();
    }
  });
});
