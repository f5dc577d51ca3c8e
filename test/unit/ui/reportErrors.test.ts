import { resetStub, toasts } from './vscodeStub';
import assert from 'node:assert/strict';
import { CanceledError, ParleyError } from '../../../src/base/errors';
import { withErrorMessage } from '../../../src/ui/reportErrors';

describe('The notification of a failed action', () => {
  beforeEach(resetStub);

  it('separates the error from the next step', async () => {
    const nextStep = 'Select a folder of the workspace.';
    await withErrorMessage(() =>
      Promise.reject(new ParleyError('badInput', '/x is outside the workspace', { nextStep })),
    );
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['/x is outside the workspace. Select a folder of the workspace.'],
    );
  });

  it('is not shown for a cancellation', async () => {
    await withErrorMessage(() => Promise.reject(new CanceledError()));
    assert.equal(toasts.length, 0);
  });
});
