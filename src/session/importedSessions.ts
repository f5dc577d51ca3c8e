import { randomUUID } from 'node:crypto';
import { ParleyError } from '../base/errors';
import { omitUndefined } from '../base/json';
import { t } from '../base/l10n';
import type { Imported } from '../history/export/sessionFile';
import { listTitle } from '../history/sessionSummary';
import type { Sessions } from './sessions';

/**
 * Adds an imported, read-only session.
 * @returns our id
 */
export async function addImported(
  { store }: Sessions,
  { title, agent, actions, diffs }: Imported,
  now: number,
): Promise<string> {
  if (!actions.some((action) => action.type === 'entriesImported')) {
    throw new ParleyError('badInput', t('The session in this file contains no messages.'));
  }
  const id = randomUUID();
  const summary = { id, title: listTitle(title), renamed: true, updatedAt: now, archived: false, imported: true };
  await store.add({ ...summary, ...omitUndefined({ agent }) }, actions, diffs);
  return id;
}
