import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { WorkspaceStateFile } from '../node/fs/workspaceStateFile';
import { LAST_VIEWED_KEY } from './lastViewedSession';
import type { WindowSessions } from './windowSessions';

/** Stores which session the chat view shows, for the next window. */
export function trackViewedSession(sessions: WindowSessions, state: WorkspaceStateFile): Disposable {
  const store = new DisposableStore();
  let stored = '';
  const keep = (): void => {
    const { id, hasTranscript: isKept, state: shown } = sessions.viewSession;
    const next = { id, blank: !isKept, ...(!isKept && shown.preset && { preset: shown.preset.name }) };
    const key = JSON.stringify(next);
    if (key === stored) return;
    stored = key;
    void state.update(LAST_VIEWED_KEY, next);
  };
  store.add(sessions.onDidChangeInView(keep));
  store.add(sessions.onDidChange((session) => void (session === sessions.viewSession && keep())));
  keep();
  return store;
}
