import assert from 'node:assert/strict';
import { AgentProcess } from '../../../../src/agent/process/agentProcess';
import { planLaunch } from '../../../../src/agent/process/launchPlan';
import { nullLogger } from '../../../../src/base/logger';
import { END_DEADLINES } from '../../../../src/node/process/endProcess';
import { fakeAgent } from '../../../fakeAgent/definition';

const BYTES = 8 * 1024 * 1024;
const FLOOD = `process.stdout.write(Buffer.alloc(${BYTES}, 'x'))`;

describe('the output of an agent process', () => {
  it('is read completely, but in one turn of the event loop only in part', async () => {
    const definition = { ...fakeAgent(), command: process.execPath, args: ['-e', FLOOD] };
    const running = await AgentProcess.start(
      await planLaunch(definition, process.cwd(), nullLogger),
      definition,
      nullLogger,
    );
    let bytes = 0;
    let inTurn = 0;
    let most = 0;
    running.onStdout((chunk) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += chunk.length;
      most = Math.max(most, inTurn);
      bytes += chunk.length;
      // The pipe fills meanwhile.
      const until = performance.now() + 1;
      while (performance.now() < until);
    });
    await running.drained;
    await running.end(END_DEADLINES);
    assert.equal(bytes, BYTES);
    assert.ok(most <= 256 * 1024, `${most} bytes in one turn`);
  });
});
