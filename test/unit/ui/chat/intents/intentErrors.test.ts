import { commands, resetStub, toasts } from '../../vscodeStub';
import assert from 'node:assert/strict';
import { ParleyError } from '../../../../../src/base/errors';
import { reportIntentError } from '../../../../../src/ui/chat/intents/intentErrors';
import type { Intent } from '../../../../../src/ui/chat/intents/intentRouter';
import type { IntentSource } from '../../../../../src/ui/uiTypes';
import { FakeSession } from '../../fakes';

describe('what did not work of what the person did in a page', () => {
  const told: unknown[] = [];
  const page = { tell: (message: unknown) => void told.push(message) };
  const from = { session: new FakeSession('one'), page } as unknown as IntentSource;
  const tell = (intent: Intent, error: unknown): Promise<void> => reportIntentError(intent, from, error);

  beforeEach(() => {
    resetStub();
    told.length = 0;
  });

  it('is said with the reason, the next step, and a way to the log', async () => {
    const error = new ParleyError('notFound', 'The file is gone', { nextStep: 'Open another one.' });
    const telling = tell({ type: 'openFile', path: '/x' }, error);
    assert.equal(toasts[0]?.message, 'It could not be opened. The file is gone. Open another one.');
    await toasts[0]?.choose('Close');
    await telling;
    assert.deepEqual(commands, []);
  });

  it('gives back what was written', async () => {
    await tell(
      { type: 'send', text: 'hello', attachments: [{ kind: 'problems', label: 'Problems' }] },
      new Error('no'),
    );
    await tell({ type: 'resend', entry: 3, text: 'again' }, new Error('no'));
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
    assert.equal(toasts.length, 0);
  });
});
