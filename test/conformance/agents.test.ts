import assert from 'node:assert/strict';
import { testAgent } from '../agents/catalog';
import { playAgent } from './realAgents';

/** The quick part of `npm run test:agents`. */
describe('opencode, driven by Parley’s own client', function () {
  this.timeout(120_000);
  for (const name of ['text', 'write', 'reject', 'cancel'] as const) {
    it(name, async () => {
      assert.deepEqual(await playAgent(testAgent('opencode'), name), []);
    });
  }
});
