import { resetStub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import { nullLogger } from '../../../../src/base/logger';
import { WorkspaceApprovals } from '../../../../src/ui/trust/workspaceApprovals';
import type { WorktreeSettings } from '../../../../src/ui/window';
import { SetupCommands, WorktreeSetup } from '../../../../src/ui/worktrees/worktreeSetup';
import type { ReadOnlyDocuments } from '../../../../src/workbench/virtualDocuments';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';

describe('ui/worktrees/worktreeSetup', () => {
  let user: string[];
  let workspace: string[];
  let ran: string[];
  let reported: string[];
  let recorded: string[];
  let code: (command: string, signal: AbortSignal) => Promise<number | undefined>;
  let setup: WorktreeSetup;

  beforeEach(() => {
    resetStub();
    [user, workspace, ran, reported, recorded] = [[], [], [], [], []];
    code = async () => 0;
    const memory = new MemoryMemento();
    const settings = stubOf<WorktreeSettings>({ scoped: () => ({ user, workspace, folders: [] }) });
    const documents = stubOf<ReadOnlyDocuments>({});
    setup = new WorktreeSetup(
      new SetupCommands(settings, new WorkspaceApprovals(memory), documents),
      stubOf<Worktrees>({
        around: (folder) => stubOf<WorktreeRecord>({ id: folder }),
        recordSetup: async (id) => void recorded.push(`${id} after ${ran.length}`),
      }),
      { show: (notice) => void reported.push(notice?.text ?? '') },
      nullLogger,
      async (command, folder, signal) => {
        ran.push(`${folder}: ${command}`);
        return code(command, signal);
      },
    );
  });

  it('asks once for all attempts of a race, and again for other commands', async () => {
    user = ['mine'];
    workspace = ['npm ci'];
    for (const folder of ['a', 'b', 'c', 'd']) setup.start(folder);
    assert.equal(toasts.length, 1);
    await toasts[0]?.choose('Allow');
    await Promise.all(['a', 'b', 'c', 'd'].map((folder) => setup.ready(folder)));
    assert.deepEqual(
      ran.toSorted(),
      ['a', 'b', 'c', 'd'].flatMap((folder) => [`${folder}: mine`, `${folder}: npm ci`]),
    );
    setup.start('e');
    await setup.ready('e');
    assert.deepEqual(ran.slice(8), ['e: mine', 'e: npm ci']);
    assert.equal(toasts.length, 1, 'allowed by the hash of its content');
    workspace = ['npm ci', 'curl evil'];
    setup.start('f');
    assert.equal(toasts.length, 2);
    await toasts[1]?.choose();
    await setup.ready('f');
    assert.deepEqual(ran.slice(10), ['f: mine'], 'only the commands of the user');
  });

  it('names the failed command, and runs no further one', async () => {
    user = ['one', 'two'];
    code = async () => 3;
    setup.start('a');
    await setup.ready('a');
    assert.deepEqual(ran, ['a: one']);
    assert.match(reported.join(), /“one” ended with exit code 3/);
    assert.deepEqual(recorded, [], 'its files may be anything');
  });

  it('records the results after the last command, if there is any', async () => {
    setup.start('a');
    await setup.ready('a');
    assert.deepEqual(recorded, []);
    user = ['one', 'two'];
    setup.start('b');
    await setup.ready('b');
    assert.deepEqual(recorded, ['b after 2']);
  });

  it('ends running commands when it is stopped, without a message', async () => {
    user = ['one', 'two'];
    const running = createDeferred<void>();
    code = (_command, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(undefined));
        running.resolve();
      });
    setup.start('a');
    await running.promise;
    await setup.stop('a');
    assert.equal(setup.isRunning('a'), false);
    assert.deepEqual([ran, reported], [['a: one'], []]);
    await setup.stop('a');
  });

  it('can be stopped while it asks', async () => {
    workspace = ['npm ci'];
    setup.start('a');
    await setup.stop('a');
    assert.equal(setup.isRunning('a'), false);
    await toasts[0]?.choose('Allow');
    assert.deepEqual(ran, []);
  });
});
