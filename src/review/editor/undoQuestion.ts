import { t } from '../../base/l10n';
import { showWarningMessage } from '../../workbench/windowMessages';
import { relativeName } from './reviewMessages';

/** Names in one question. */
const MAX_NAMED = 15;

/**
 * Asks once before an Undo of changes that may not be this agent's. In a separate chunk.
 * @param doubts why, by path
 * @returns the paths that the user wants to undo
 */
export async function pathsToUndo(
  paths: readonly string[],
  doubts: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const rest = paths.filter((path) => !doubts.has(path));
  const undo = rest.length > 0 ? t('Undo All') : t('Undo');
  const leave = t('Leave These Files');
  const named = [...doubts].slice(0, MAX_NAMED).map(([path, why]) => `• ${relativeName(path)}: ${why}`);
  const more = doubts.size > MAX_NAMED ? [t('and {0} more', doubts.size - MAX_NAMED)] : [];
  const detail = [...named, ...more, '', t('You can redo an undo.')].join('\n');
  const question = t('Undo changes that another program or chat may have made, too?');
  const answer = await showWarningMessage(question, { modal: true, detail }, undo, ...(rest.length > 0 ? [leave] : []));
  if (answer === undo) return paths;
  return answer === leave ? rest : [];
}
