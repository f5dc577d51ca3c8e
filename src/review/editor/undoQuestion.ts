import { t } from '../../base/l10n';
import { showWarningMessage } from '../../workbench/windowMessages';
import { fileReasons } from './reviewMessages';

/** Names in one question. */
const MAX_NAMED = 15;

/**
 * Asks once before an Undo of changes that may not be this agent's. In a separate chunk.
 * @param doubts why, in a sentence, by path
 * @returns the paths that the user wants to undo
 */
export async function pathsToUndo(
  paths: readonly string[],
  doubts: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const rest = paths.filter((path) => !doubts.has(path));
  const undo = rest.length > 0 ? t('Undo All') : t('Undo');
  const undoRest = t('Undo Only the Others');
  const named = fileReasons([...doubts].slice(0, MAX_NAMED));
  const more = doubts.size > MAX_NAMED ? [t('and {0} more', doubts.size - MAX_NAMED)] : [];
  const detail = [...named.map((line) => `• ${line}`), ...more, '', t('You can redo an undo.')].join('\n');
  const question = t('Undo changes that others may have made, too?');
  const answer = await showWarningMessage(
    question,
    { modal: true, detail },
    undo,
    ...(rest.length > 0 ? [undoRest] : []),
  );
  if (answer === undo) return paths;
  return answer === undoRest ? rest : [];
}
