import { asObject, asString, omitUndefined } from '../base/json';
import type { SessionStore } from '../history/sessionStore';
import type { TranscriptContent } from '../history/transcriptFile';
import type { WorkspaceStateFile } from '../node/fs/workspaceStateFile';
import type { Preset } from '../shared/state/preset';

/** In the workspace's state file. */
export const LAST_VIEWED_KEY = 'inView';

/** The session in the chat view when the window closed; `blank`: without messages, so it has no transcript. */
export interface LastViewedSession {
  readonly id: string;
  readonly blank: boolean;
  /** Of a session without messages. */
  readonly preset?: Preset;
}

/** @param presets `parley.presets` by name: only the name is stored */
export function lastViewedSession(
  state: WorkspaceStateFile,
  presets: Readonly<Record<string, Preset>>,
): LastViewedSession | undefined {
  const stored = asObject(state.get(LAST_VIEWED_KEY));
  const id = asString(stored?.['id']);
  const name = asString(stored?.['preset']) ?? '';
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  return id === undefined ? undefined : { id, blank: stored?.['blank'] === true, ...omitUndefined({ preset }) };
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
