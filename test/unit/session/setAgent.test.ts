import assert from 'node:assert/strict';
import { SessionBench } from './sessionBench';

describe('session: selecting an agent', function () {
  it('starts nothing before the first prompt, and does not change a chat with messages', async () => {
    const bench = await SessionBench.open({ sessions: { initialAgent: () => undefined } });
    try {
      const { active } = bench.sessions;
      active.setAgent('fake');
      assert.deepEqual([active.state.agent?.name, active.state.connection.status], ['fake', 'idle']);
      assert.deepEqual(bench.agents.all(), []);
      await active.send('hello');
      assert.equal(active.state.connection.status, 'ready');
      active.setAgent('other');
      assert.deepEqual([active.state.agent?.name, active.state.connection.status], ['fake', 'ready']);
    } finally {
      await bench.close();
    }
  });
});
