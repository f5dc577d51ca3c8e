import { t } from '../../base/l10n';
import { showWarningMessage } from '../../workbench/windowMessages';
import { relativeName } from './reviewMessages';

/** Names in one question. */
const MAX_NAMED = 15;

/**
 * Asks once before an Undo of changes that may not be an agent's. In a separate chunk.
 * @param isUnsure of a path
 * @returns the paths that the user wants to undo
 */
export async function pathsToUndo(
  paths: readonly string[],
  isUnsure: (path: string) => boolean,
): Promise<readonly string[]> {
  const rest = paths.filter((path) => !isUnsure(path));
  const unsure = paths.filter(isUnsure);
  const undo = rest.length > 0 ? t('Undo All') : t('Undo');
  const leave = t('Leave These Files');
  const named = unsure.slice(0, MAX_NAMED).map((path) => `• ${relativeName(path)}`);
  const more = unsure.length > MAX_NAMED ? [t('and {0} more', unsure.length - MAX_NAMED)] : [];
  const detail = [...named, ...more, '', t('You can redo an undo.')].join('\n');
  const question = t('Undo changes that another program may have made, too?');
  const answer = await showWarningMessage(question, { modal: true, detail }, undo, ...(rest.length > 0 ? [leave] : []));
  if (answer === undo) return paths;
  return answer === leave ? rest : [];
}
