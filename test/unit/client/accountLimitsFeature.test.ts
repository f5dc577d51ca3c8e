import assert from 'node:assert/strict';
import { accountLimitsFeature } from '../../../src/client/accountLimitsFeature';
import type { SessionState } from '../../../src/shared/state/sessionState';
import { SessionBench } from '../session/sessionBench';

const MINUTES = 300;

/** A notification about Codex's account: unreleased, see the feature. */
const report = (limitId: string, usedPercent: number): string =>
  `notify _account/rate_limits_update ${JSON.stringify({ limitId, primary: { usedPercent, windowDurationMins: MINUTES } })}`;
const limits = ({ limits: known = [] }: SessionState): string[] => known.map(({ id, used }) => `${id} ${used}`);

describe('client/acpClient: account limits feature', () => {
  let bench: SessionBench;

  beforeEach(async () => {
    bench = await SessionBench.open({
      more: (lookup) => ({ features: [accountLimitsFeature(lookup)], services: { dispose: () => undefined } }),
    });
  });
  afterEach(() => bench.close());

  it('applies a report to all sessions of the agent, idle and later ones too', async () => {
    const first = bench.session;
    await bench.send('text one');
    const second = bench.sessions.newChat('fake');
    assert.notEqual(second, first);
    await second.send(`text two\n${report('codex', 40)}\n${report('weekly', 10)}`);
    for (const session of [first, second])
      assert.deepEqual(limits(session.state), ['codex primary 0.4', 'weekly primary 0.1'], session.id);
    await first.send(report('codex', 60));
    assert.deepEqual(limits(second.state), ['weekly primary 0.1', 'codex primary 0.6']);
    const third = bench.sessions.newChat('fake');
    await third.send('text three');
    assert.deepEqual(limits(third.state), ['weekly primary 0.1', 'codex primary 0.6']);
  });

  it('does not apply a report to sessions of another agent', async () => {
    await bench.send(report('codex', 40));
    const other = bench.sessions.newChat('other');
    await other.send('text hello');
    assert.deepEqual(limits(other.state), []);
  });

  it('removes the limits when another agent is selected for a chat', async () => {
    await bench.send(report('codex', 40));
    const chat = bench.sessions.newChat('fake');
    await chat.chooseAgent('fake');
    assert.deepEqual(limits(chat.state), ['codex primary 0.4']);
    chat.dispatch({ type: 'usageChanged', usage: { used: 1, size: 2 } });
    chat.dispatch({ type: 'retryScheduled', retryAt: 5 });
    await chat.chooseAgent('other');
    assert.deepEqual([chat.state.limits, chat.state.usage, chat.state.retryAt], [undefined, undefined, undefined]);
  });
});
