import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import type { AttachmentServiceOptions } from '../../../../src/ui/attachments/attachmentService';
import { AttachmentService } from '../../../../src/ui/attachments/attachmentService';
import type { IntentSource } from '../../../../src/ui/uiTypes';
import { FakeSession, FakeSessions } from '../fakes';

describe('ui/attachments/attachmentService', () => {
  beforeEach(() => resetStub());

  it('answers a page that requested files even if the user selected none', async () => {
    const session = new FakeSession('one');
    const calls: unknown[] = [];
    const page = { reveal: async () => void calls.push('show'), post: (message: unknown) => void calls.push(message) };
    const attachmentService = new AttachmentService({
      sessions: new FakeSessions([session]),
      log: nullLogger,
      chat: () => assert.fail('this page asked, not the one the person was in last'),
    } as unknown as AttachmentServiceOptions);
    Object.assign(stub.window, { showOpenDialog: async () => undefined });
    await attachmentService.attachFrom({ session, page } as unknown as IntentSource, 'files');
    assert.deepEqual(calls, ['show', { type: 'attach', attachments: [], remarks: [] }]);
  });

  it('says how many of the dropped files no message can have', async () => {
    const session = new FakeSession('one');
    const posted: { readonly remarks?: readonly string[] }[] = [];
    const page = { reveal: async () => undefined, post: (message: object) => void posted.push(message) };
    const options = { sessions: new FakeSessions([session]), log: nullLogger } as unknown as AttachmentServiceOptions;
    await new AttachmentService(options).attachUris({ session, page } as unknown as IntentSource, [], 3);
    assert.deepEqual(
      posted.map(({ remarks }) => remarks),
      [['Could not attach 3 more: the message has reached its attachment limit.']],
    );
  });
});
