import assert from 'node:assert/strict';
import { lastEntry } from '../../../../src/shared/state/entryPages';
import { SessionBench } from '../sessionBench';

describe('a message sent while a turn runs', function () {
  let bench: SessionBench;
  let turn: Promise<void>;

  afterEach(async () => {
    bench.session.turn.stop();
    await turn;
    await bench.close();
  });

  async function inTurn(env: Record<string, string>): Promise<void> {
    bench = await SessionBench.open({ env });
    turn = bench.send('text working', 'until-cancel');
    await bench.until((state) => lastEntry(state.entries)?.kind === 'agent');
  }

  const now = (text: string): Promise<void> => bench.session.send(text, [], { now: true });
  const steered = (): unknown[] => bench.received().filter((message) => message['method'] === '_session/steering');

  it('joins the turn if the agent supports it, before the agent’s reaction', async () => {
    await inTurn({ FAKE_STEERING: 'injected' });
    await now('use tabs');
    await bench.until((state) => {
      const last = lastEntry(state.entries);
      return last?.kind === 'agent' && last.text.includes('steered');
    });
    assert.match(bench.text, /working\n\[user\]\n {2}use tabs\n\[agent\]\n {2}\[steered: use tabs\]/);
    assert.equal(bench.session.state.turn.status, 'running');
  });

  for (const when of ['before', 'after']) {
    it(`is shown once if the agent echoes it ${when} its answer`, async () => {
      await inTurn({ FAKE_STEERING: 'injected', FAKE_STEERING_ECHO: when });
      await now('use tabs');
      await bench.until((state) => {
        const last = lastEntry(state.entries);
        return last?.kind === 'agent' && last.text.includes('steered');
      });
      assert.equal(bench.text.match(/\[user\]\n {2}use tabs/g)?.length, 1);
      assert.doesNotMatch(bench.text, /tabsuse|tabs tabs/);
    });
  }

  it('is a separate entry, also directly after another', async () => {
    await inTurn({ FAKE_STEERING: 'startedNewTurn' });
    await now('use tabs');
    await now('and no semicolons');
    assert.match(bench.text, /\[user\]\n {2}use tabs\n\[user\]\n {2}and no semicolons/);
  });

  it('is kept if the agent does not accept it', async () => {
    await inTurn({ FAKE_STEERING: 'failed' });
    await now('use tabs');
    const last = lastEntry(bench.session.state.entries);
    assert.ok(last?.kind === 'notice' && last.text === 'use tabs');
    assert.equal(bench.session.state.queue.messages[0]?.text, 'use tabs');
  });

  it('waits in the queue if the agent does not support steering', async () => {
    await inTurn({});
    await bench.send('use tabs');
    assert.deepEqual(steered(), []);
    assert.doesNotMatch(bench.text, /use tabs/);
    assert.equal(bench.session.state.queue.messages[0]?.text, 'use tabs');
  });
});
