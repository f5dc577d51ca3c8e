import { commands, resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { ParleyError } from '../../../../src/base/errors';
import { reportIntentError } from '../../../../src/ui/intents/intentErrors';
import type { Intent, IntentSource } from '../../../../src/ui/window';
import type { Notice } from '../../../../src/workbench/notice';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession } from '../fakes';

describe('failed user actions in a page', () => {
  const told: unknown[] = [];
  const notices: Notice[] = [];
  const page = {
    post: (message: unknown) => void told.push(message),
    showNotice: (notice: Notice) => void notices.push(notice),
  };
  const from = stubOf<IntentSource>({ session: new FakeSession('one'), page });
  const tell = (intent: Intent, error: unknown): void => reportIntentError(intent, from, error);

  beforeEach(() => {
    resetStub();
    told.length = 0;
    notices.length = 0;
  });

  it('are shown with the reason, a next step, and a button for the log', async () => {
    const error = new ParleyError('notFound', 'The file is gone', { nextStep: 'Open another one.' });
    tell({ type: 'openFile', path: '/x' }, error);
    const [notice] = notices;
    assert.equal(notice?.text, 'Could not open the item. The file is gone. Open another one.');
    assert.equal(notice.button?.label, 'Show Log');
    await notice.button.run();
    assert.deepEqual(commands, ['parley.showLog']);
  });

  it('restore the draft', () => {
    tell({ type: 'send', text: 'hello', attachments: [{ kind: 'problems', label: 'Problems' }] }, new Error('no'));
    tell({ type: 'resend', entry: 3, text: 'again' }, new Error('no'));
    assert.deepEqual(told, [
      {
        type: 'sendRefused',
        session: 'one',
        text: 'hello',
        attachments: [{ kind: 'problems', label: 'Problems' }],
        reason: 'no.',
      },
      { type: 'resendEnded', session: 'one', entry: 3, problem: 'no.' },
    ]);
    assert.deepEqual(notices, []);
  });
});
