import { randomUUID } from 'node:crypto';
import { ParleyError } from '../base/errors';
import { omitUndefined } from '../base/json';
import { t } from '../base/l10n';
import type { SessionState } from '../shared/state/sessionState';
import type { DiffTexts } from '../history/diff/diffStore';
import type { Imported } from '../history/export/sessionFile';
import type { Sessions } from './sessions';
import { listTitle } from '../history/sessionSummary';
import { stateFromTranscript } from '../history/transcriptFile';

export interface ImportedConversation {
  readonly state: SessionState;
  readonly diff: (diffId: string) => DiffTexts | undefined;
}

/**
 * Undefined when there is no such session.
 * @throws ParleyError `badInput` when a newer version wrote it
 */
export async function transcriptOf(
  sessions: Pick<Sessions, 'getOpen' | 'store'>,
  id: string,
): Promise<ImportedConversation | undefined> {
  const open = sessions.getOpen(id);
  if (open) return { state: open.state, diff: (diffId) => open.diff(diffId) };
  const stored = await sessions.store.readTranscript(id);
  return stored && { state: stateFromTranscript(stored), diff: (diffId) => stored.diffs.get(diffId) };
}

/**
 * Adds an imported, read-only session.
 * @returns our id
 */
export async function addImported(
  { store }: Pick<Sessions, 'store'>,
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
