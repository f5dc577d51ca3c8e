import { ParleyError, systemErrorCode } from '../../base/errors';
import { t } from '../../base/l10n';

/** The error of a process that did not start. Says what to do where the system allows no more open files. */
export function explainSpawnError(error: Error): Error {
  const code = systemErrorCode(error);
  if (code !== 'EMFILE' && code !== 'ENFILE') return error;
  const message = t(
    'Too many files are open: close other windows and programs, or reload this window ({0})',
    error.message,
  );
  return new ParleyError('internal', message, { cause: error });
}
