import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastEntry } from '../../../../src/shared/state/entryPages';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { until } from '../../../kit/waiting';
import { SessionBench } from '../sessionBench';

describe('Stop while the agent opens the session', () => {
  it('offers to restart an agent that does not respond', async () => {
    const folder = temporaryFolder();
    const fault = join(folder, 'fault');
    writeFileSync(fault, '');
    const env = { FAKE_FAULT: 'hangs', FAKE_FAULT_AT: 'session/new', FAKE_FAULT_FILE: fault };
    const bench = await SessionBench.open({ folder, env });
    const sent = bench.send('text hi');
    await until(() => !existsSync(fault));
    bench.session.turn.stop();
    const shown = lastEntry(bench.session.state.entries);
    assert.ok(shown?.kind === 'error');
    assert.match(shown.message, /Fake has not opened the session yet/);
    assert.deepEqual(shown.remedies, ['restart', 'retry']);
    await bench.session.restart();
    await bench.send('text alive');
    await sent;
    assert.match(bench.text, /\[agent\]\n {2}alive/);
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
