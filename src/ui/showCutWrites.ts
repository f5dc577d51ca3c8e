import { t } from '../base/l10n';
import type { Logger } from '../base/logger';
import type { CutWrite } from '../node/fs/restoreCutWrite';
import { showWarningMessage } from '../workbench/windowMessages';

/** Says what the start did with files whose write was cut off. */
export function showCutWrites(files: readonly CutWrite[], log: Logger): void {
  for (const { path, isRestored } of files) {
    const sentence = isRestored
      ? t('VS Code stopped while Parley wrote {0}. Parley has restored the old content.', path)
      : t(
          'VS Code stopped while Parley wrote {0}. The file has changed since, so Parley left it unchanged. Check whether it is complete.',
          path,
        );
    log.warn('app', sentence);
    void showWarningMessage(sentence);
  }
}
