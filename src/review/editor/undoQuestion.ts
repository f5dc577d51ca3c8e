import { t } from '../../base/l10n';
import { showWarningMessage } from '../../workbench/windowMessages';
import type { ReviewScopes } from '../tracking/reviewScope';
import { relativeName } from './reviewMessages';

/** Names in one question. */
const MAX_NAMED = 15;

/** What the user wants to undo: `isOwn` for the changes of the session alone. */
interface AgreedUndo {
  readonly paths: readonly string[];
  readonly isOwn?: true;
}

/**
 * Asks once before an Undo of changes that may not be this agent's. In a separate chunk.
 * @param doubts why, by path
 * @param isShared offers the changes of the chat alone
 */
export async function askToUndo(
  paths: readonly string[],
  doubts: ReadonlyMap<string, string>,
  scopes: ReviewScopes,
  isShared = false,
): Promise<AgreedUndo> {
  const rest = paths.filter((path) => !doubts.has(path));
  const undo = rest.length > 0 || isShared ? t('Undo All') : t('Undo');
  const own = t('Only This Chat’s');
  const leave = t('Leave These Files');
  const named = [...doubts].slice(0, MAX_NAMED).map(([path, why]) => `• ${relativeName(path, scopes)}: ${why}`);
  const more = doubts.size > MAX_NAMED ? [t('and {0} more', doubts.size - MAX_NAMED)] : [];
  const detail = [...named, ...more, '', t('You can redo an undo.')].join('\n');
  const question = t('Undo changes that another program or chat may have made, too?');
  // Enter selects the first one.
  const buttons = [...(isShared ? [own] : []), ...(rest.length > 0 ? [leave] : []), undo];
  const answer = await showWarningMessage(question, { modal: true, detail }, ...buttons);
  if (answer === undefined) return { paths: [] };
  if (answer === own) return { paths, isOwn: true };
  return { paths: answer === leave ? rest : paths };
}
