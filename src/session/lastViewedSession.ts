import { asObject, asString, omitUndefined } from '../base/json';
import type { SessionStore } from '../history/sessionStore';
import type { TranscriptContent } from '../history/transcriptFile';

/** In the workspace's state file. */
export const LAST_VIEWED_KEY = 'inView';

/** The session in the chat view or a tab when the window closed; `blank`: without messages, so it has no transcript. */
export interface LastViewedSession {
  readonly id: string;
  readonly blank: boolean;
  /** Name of the preset of a session without messages. */
  readonly preset?: string;
}

/** @param stored of the workspace, or of a page */
export function readLastViewed(stored: unknown): LastViewedSession | undefined {
  const { id, blank, preset } = asObject(stored) ?? {};
  if (typeof id !== 'string') return undefined;
  return { id, blank: blank === true, ...omitUndefined({ preset: asString(preset) }) };
}

/**
 * The initial session of the chat view: the last one shown, else the last one used. For a session without messages only the id is
 * returned, because it may have a draft.
 * @param isFree true if no other window has the session open
 */
export async function initialSession(
  store: SessionStore,
  last: LastViewedSession | undefined,
  isFree: (id: string) => boolean,
): Promise<TranscriptContent | string | undefined> {
  if (last?.blank === true && !store.get(last.id) && isFree(last.id)) return last.id;
  const listed = store.list().filter(({ archived }) => !archived);
  const chosen = listed.find(({ id }) => id === last?.id) ?? listed[0];
  // A session of a newer version is skipped here; the list shows why.
  return chosen && isFree(chosen.id) ? store.readToOpen(chosen.id).catch(() => undefined) : undefined;
}
