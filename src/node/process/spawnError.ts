import { existsSync } from 'node:fs';
import { ParleyError, isMissingPath, systemErrorCode } from '../../base/errors';
import { t } from '../../base/l10n';

/**
 * The error of a process that did not start. Says what to do where the system allows no more open files.
 * @param cwd its folder: the system reports a missing one as if the program were missing
 */
export function explainSpawnError(error: Error, cwd?: string): Error {
  if (cwd !== undefined && isMissingPath(error) && !existsSync(cwd))
    return new ParleyError('folderNotFound', t('The folder {0} does not exist', cwd), { cause: error });
  const code = systemErrorCode(error);
  if (code !== 'EMFILE' && code !== 'ENFILE') return error;
  const message = t(
    'Too many files are open: close other windows and programs, or reload this window ({0})',
    error.message,
  );
  return new ParleyError('internal', message, { cause: error });
}
