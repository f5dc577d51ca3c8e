import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import { TaskProcess } from '../../../../src/mcp/builtin/tasks/taskProcess';
import { spawnWithoutFiles } from '../../../kit/spawnWithoutFiles';

describe('the process of a task', () => {
  it('explains that too many files are open', async () => {
    const task = new TaskProcess(nullLogger, () => undefined);
    await spawnWithoutFiles(() => task.start({ file: 'make', args: [], env: {}, isVerbatim: false }));
    const { exitCode, problem } = await task.done;
    assert.equal(exitCode, undefined);
    assert.match(problem ?? '', /^Too many files are open: close .*\(spawn make EMFILE\)$/);
  });
});
