import type { DiffTexts } from '../history/diff/diffStore';
import { stateFromTranscript } from '../history/transcriptFile';
import type { SessionState } from '../shared/state/sessionState';
import type { Sessions } from './sessions';

export interface Conversation {
  readonly state: SessionState;
  readonly diff: (diffId: string) => DiffTexts | undefined;
}

/**
 * The conversation of our session, open or not. Undefined when there is no such session.
 * @throws ParleyError `badInput` when a newer version wrote it
 */
export async function readConversation(sessions: Sessions, id: string): Promise<Conversation | undefined> {
  const open = sessions.getOpen(id);
  if (open) return { state: open.state, diff: (diffId) => open.diff(diffId) };
  const stored = await sessions.store.readTranscript(id);
  return stored && { state: stateFromTranscript(stored), diff: (diffId) => stored.diffs.get(diffId) };
}
