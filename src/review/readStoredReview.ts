import * as vscode from 'vscode';
import { errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import type { Logger } from '../base/logger';
import { makePrivateFolder } from '../node/fs/privateFiles';
import type { CheckpointStore } from './checkpoints/checkpointStore';
import type { ReviewFile } from './tracking/reviewFile';

const NEWER = 'were saved by a newer version of Parley and stay as they are. Update Parley to use them.';

/**
 * Reads the changes and checkpoints of the last window. Never rejects: what cannot be read is reported, and stays on disk for a later
 * window.
 * @param storage absolute
 */
export async function readStoredReview(
  storage: string,
  checkpoints: CheckpointStore,
  changes: ReviewFile,
  log: Logger,
): Promise<void> {
  await makePrivateFolder(storage).catch((error: unknown) => log.warn('review', errorMessage(error)));
  let failure: string | undefined;
  for (const load of [() => checkpoints.load(), () => changes.load(NEWER)]) {
    await load().catch((error: unknown) => (failure ??= errorMessage(error)));
  }
  if (checkpoints.isNewer) log.warn('review', `Ignored the checkpoints in ${storage}, which ${NEWER}`);
  if (failure === undefined) return;
  log.error('review', `Failed to read the review of the last window: ${failure}`);
  void vscode.window.showWarningMessage(
    t(
      'Could not read the changes and checkpoints of the last window: {0}. They stay on disk. Reload the window to try again.',
      failure,
    ),
  );
}
