import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import type { ServerContent } from '../../../../src/session/serverContent';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import { AttachmentService } from '../../../../src/ui/attachments/attachmentService';
import type { WorkspaceFileIndex } from '../../../../src/ui/attachments/workspaceFileIndex';
import { UnsentMessages } from '../../../../src/ui/messages/unsentMessages';
import type { Chat, IntentPage } from '../../../../src/ui/window';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession, FakeSessions } from '../fakes';

/** The page that asked gets the answer, not the one the person was in last. */
function serviceOf(session: FakeSession): AttachmentService {
  const [sessions, catalog, chat] = [new FakeSessions([session]), stubOf<SessionCatalog>({}), stubOf<Chat>({})];
  return new AttachmentService(
    sessions,
    catalog,
    stubOf<Worktrees>({}),
    chat,
    stubOf<WorkspaceFileIndex>({}),
    stubOf<ServerContent>({ list: async () => undefined, prompts: () => [], resources: () => [] }),
    new UnsentMessages(new MemoryMemento()),
    nullLogger,
  );
}

describe('ui/attachments/attachmentService', () => {
  beforeEach(() => resetStub());

  it('answers a page that requested files even if the user selected none', async () => {
    const session = new FakeSession('one');
    const calls: unknown[] = [];
    const page = { reveal: async () => void calls.push('show'), post: (message: unknown) => void calls.push(message) };
    const attachmentService = serviceOf(session);
    Object.assign(stub.window, { showOpenDialog: async () => undefined });
    await attachmentService.attachFrom({ session, page: stubOf<IntentPage>(page) }, 'files');
    assert.deepEqual(calls, ['show', { type: 'attach', attachments: [], remarks: [] }]);
  });

  it('says how many of the dropped files no message can have', async () => {
    const session = new FakeSession('one');
    const posted: { readonly remarks?: readonly string[] }[] = [];
    const page = { reveal: async () => undefined, post: (message: object) => void posted.push(message) };
    await serviceOf(session).attachUris({ session, page: stubOf<IntentPage>(page) }, [], 3);
    assert.deepEqual(
      posted.map(({ remarks }) => remarks),
      [['Could not attach 3 more: the message has reached its attachment limit.']],
    );
  });
});
