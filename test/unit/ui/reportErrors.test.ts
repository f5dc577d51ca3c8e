import { resetStub, toasts } from './vscodeStub';
import assert from 'node:assert/strict';
import { CanceledError, ParleyError } from '../../../src/base/errors';
import { nullLogger } from '../../../src/base/logger';
import { reportUnsaved } from '../../../src/node/fs/storedFile';
import { registerLossWarning, withErrorMessage } from '../../../src/ui/reportErrors';

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

describe('The warning about data that cannot be saved', () => {
  beforeEach(resetStub);

  it('is shown once for each kind, with the folder and the reason', () => {
    const warnings = registerLossWarning(nullLogger);
    for (let time = 0; time < 3; time++) reportUnsaved('/store/mcp', 'the pins', new Error('no room'));
    reportUnsaved('/store/audit', 'decisions', new Error('EACCES'));
    warnings.dispose();
    assert.deepEqual(
      toasts.map(({ message }) => message.split('. ')[0]),
      ['Could not save the pins in /store/mcp: no room', 'Could not save decisions in /store/audit: EACCES'],
    );
  });
});
