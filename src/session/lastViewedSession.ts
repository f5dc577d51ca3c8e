import { asObject, asString } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Sessions } from './sessions';
import type { SessionStore } from '../history/sessionStore';
import type { WorkspaceStateFile } from '../node/fs/workspaceStateFile';
import type { Transcript } from '../history/transcriptFile';

const KEY = 'inView';

/** The session that the chat view showed when the window was closed; `blank`: nothing was said in it, so it has no transcript. */
export interface LastViewedSession {
  readonly id: string;
  readonly blank: boolean;
}

export function lastViewedSession(state: Pick<WorkspaceStateFile, 'get'>): LastViewedSession | undefined {
  const kept = asObject(state.get(KEY));
  const id = asString(kept?.['id']);
  return id === undefined ? undefined : { id, blank: kept?.['blank'] === true };
}

/**
 * What the chat view begins with: the session that it showed last, else the one used last; an id is that of one without messages, which
 * may have a draft.
 * @param isFree no other window has it open
 */
export async function initialSession(
  shelf: SessionStore,
  last: LastViewedSession | undefined,
  isFree: (id: string) => boolean,
): Promise<Transcript | string | undefined> {
  if (last?.blank === true && !shelf.get(last.id) && isFree(last.id)) return last.id;
  const listed = shelf.all().filter(({ archived }) => !archived);
  const chosen = listed.find(({ id }) => id === last?.id) ?? listed[0];
  // One of a newer version is in the list, and says so there.
  return chosen && isFree(chosen.id) ? shelf.read(chosen.id).catch(() => undefined) : undefined;
}

/** Keeps in mind which session the chat view shows, for the next window. */
export function trackViewedSession(sessions: Sessions, state: WorkspaceStateFile): Disposable {
  const store = new DisposableStore();
  let kept = '';
  const keep = (): void => {
    const { id, isKept } = sessions.inView;
    const next: LastViewedSession = { id, blank: !isKept };
    const key = JSON.stringify(next);
    if (key === kept) return;
    kept = key;
    void state.update(KEY, next);
  };
  store.add(sessions.onDidChangeInView(keep));
  store.add(sessions.onDidChange((session) => void (session === sessions.inView && keep())));
  keep();
  return store;
}
