import assert from 'node:assert/strict';
import { REMOTE_SCENARIOS, REMOTE_WAYS } from './remoteScenarios';
import { checksFor, play } from './run';
import { writeResults } from './suite';

/** The relay at the other end of the network: with the agent, behind the server. */
describe('conformance of remote connections', () => {
  const results: Record<string, Record<string, boolean>> = {};

  for (const type of REMOTE_WAYS) {
    for (const scenario of REMOTE_SCENARIOS) {
      it(`${type}: passes every check in "${scenario}"`, async () => {
        (results[scenario] ??= {})[type] = false;
        const evidence = await play(scenario, { remote: type });
        let judged = 0;
        for (const check of checksFor(scenario, 'node')) {
          const finding = check.judge(evidence);
          assert.deepEqual(finding.wrong, [], check.id);
          judged += finding.judged;
        }
        assert.ok(judged > 10, `only ${judged} things were judged`);
        results[scenario][type] = true;
      });
    }
  }

  after(() => {
    if (Object.keys(results).length === REMOTE_SCENARIOS.length) writeResults('remote', results);
  });
});
