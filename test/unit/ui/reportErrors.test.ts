import { commands, resetStub, toasts } from './vscodeStub';
import assert from 'node:assert/strict';
import { CanceledError, ParleyError } from '../../../src/base/errors';
import { nullLogger } from '../../../src/base/logger';
import { reportDataLoss, reportUnsaved } from '../../../src/node/fs/storedFile';
import { registerLossWarning, withErrorMessage } from '../../../src/ui/reportErrors';
import { showCutWrites } from '../../../src/ui/showCutWrites';
import { eventually } from '../../kit/waiting';

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

describe('The warning about damaged files', () => {
  beforeEach(resetStub);

  it('names all that is lost at once, and opens the log, which lists the files', async () => {
    const logged: string[] = [];
    const warnings = registerLossWarning({ ...nullLogger, warn: (_tag, message) => logged.push(message) });
    reportDataLoss('/store/review/checkpoints.json', 'the checkpoints');
    reportDataLoss('/store/state.json', 'drafts');
    await eventually(() => assert.equal(toasts.length, 1));
    const [toast] = toasts;
    assert.match(toast?.message ?? '', /is lost: the checkpoints; drafts\. The log lists/);
    assert.deepEqual(logged, [
      'Lost the checkpoints: /store/review/checkpoints.json was damaged',
      'Lost drafts: /store/state.json was damaged',
    ]);
    await toast?.choose('Show Log');
    assert.deepEqual(commands, ['parley.showLog']);
    warnings.dispose();
  });
});

describe('The notification about a write that was cut off', () => {
  beforeEach(resetStub);

  it('names the file, and says whether it is restored', () => {
    const file = { path: '/work/a.conf' };
    showCutWrites(
      [
        { ...file, isRestored: true },
        { ...file, isRestored: false },
      ],
      nullLogger,
    );
    assert.match(toasts[0]?.message ?? '', /wrote \/work\/a\.conf\. Parley has restored the old content\.$/);
    assert.match(toasts[1]?.message ?? '', /wrote \/work\/a\.conf\. The file has changed since/);
  });
});
