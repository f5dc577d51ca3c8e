import { errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import type { Logger } from '../base/logger';
import { makePrivateFolder } from '../node/fs/privateFiles';
import { showWarningMessage } from '../workbench/windowMessages';
import type { CheckpointStore } from './checkpoints/checkpointStore';
import type { ReviewProblem } from './tracking/modifiedFiles';
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
  const fail = (error: unknown): void => void (failure ??= errorMessage(error));
  await checkpoints.load().catch(fail);
  const unread = (await changes.load(NEWER).catch(fail)) ?? [];
  if (checkpoints.isNewer) log.warn('review', `Ignored the checkpoints in ${storage}, which ${NEWER}`);
  if (unread.length > 0) reportUnread(unread, log);
  if (failure === undefined) return;
  log.error('review', `Failed to read the review of the last window: ${failure}`);
  void showWarningMessage(
    t(
      'Could not read the changes and checkpoints of the last window: {0}. They stay on disk. Reload the window to try again.',
      failure,
    ),
  );
}

/** Files whose copies cannot be read stay stored; the others are under review. */
function reportUnread(files: readonly ReviewProblem[], log: Logger): void {
  for (const { path, message } of files)
    log.error('review', `Failed to read the stored changes of ${path}: ${message}`);
  const names = files.slice(0, 3).map(({ path }) => path);
  void showWarningMessage(
    t(
      'The changes of {0} cannot be reviewed: a stored copy cannot be read ({1}). They stay on disk. Reload the window to try again.',
      files.length > names.length
        ? t('{0} and {1} more', names.join(', '), files.length - names.length)
        : names.join(', '),
      files[0]?.message ?? '',
    ),
  );
}
