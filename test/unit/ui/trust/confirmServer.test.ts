import { answers, asked, resetAsked } from '../permissions/askStub';
import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import { ConfirmServer } from '../../../../src/ui/trust/confirmServer';
import { WorkspaceApprovals } from '../../../../src/ui/trust/workspaceApprovals';
import type { ReadOnlyDocuments } from '../../../../src/workbench/virtualDocuments';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';

describe('ui/trust/confirmServer', () => {
  const server = { name: 'db', place: 'it', subject: 'mcp:db', content: 'db', lines: ['Command: db'] };
  let confirm: ConfirmServer;
  const kinds = (): readonly string[] => asked.map(({ kind }) => kind);

  beforeEach(() => {
    resetAsked();
    confirm = new ConfirmServer(new WorkspaceApprovals(new MemoryMemento()), stubOf<ReadOnlyDocuments>({}));
  });

  it('shows the definition from the Tools panel while its notification waits out of sight', async () => {
    const notification = createDeferred<string | undefined>();
    answers.push(notification.promise, 'Use Server');
    const first = confirm.confirm(server, false);
    assert.deepEqual([await confirm.confirm(server, true), await first], [true, true]);
    notification.resolve('Review…');
    await notification.promise;
    assert.deepEqual([confirm.isAllowed(server), kinds()], [true, ['toast', 'modal']]);
  });

  it('asks once for all that wait, and not again after Not Now', async () => {
    answers.push('Not Now');
    const both = [confirm.confirm(server, false), confirm.confirm(server, false)];
    assert.deepEqual([await Promise.all(both), await confirm.confirm(server, false)], [[false, false], false]);
    assert.deepEqual(kinds(), ['toast']);
  });
});
