import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { DiskWorld, filesOf } from '../diskWorld';

describe('a restore at the end of a turn', () => {
  it('waits until its changes are recorded, and is refused only while the agent works', async () => {
    const world = await DiskWorld.open();
    try {
      world.busy = (worktree) => (world.agents.worksIn(worktree) ? 'An agent works' : undefined);
      await writeFile(world.at('a.txt'), 'before\n');
      await world.turn(async () => {
        await writeFile(world.at('a.txt'), 'after\n');
        const preview = await world.checkpoints.preview('s', 0);
        assert.deepEqual(preview, { type: 'unavailable', message: 'An agent works' });
        // The chat shows the end of the turn from now on.
        world.state = emptySession('s');
        const end = world.turns.end('s');
        assert.deepEqual((await world.checkpoints.restore('s', 0)).problems, []);
        assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- before\n' });
        await end;
      });
    } finally {
      await world.close();
    }
  });
});
