import { toDisposable } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { Sessions } from '../session/sessions';
import type { Action } from '../shared/state/sessionActions';

/** Dispatches an action to a session now, or as soon as it is open. */
export function dispatchWhenOpen(sessions: Sessions, sessionId: string, action: Action): Disposable {
  const isDone = (): boolean => {
    const session = sessions.getOpen(sessionId);
    if (session) waiting?.dispose();
    session?.dispatch(action);
    return session !== undefined;
  };
  let waiting: Disposable | undefined;
  if (!isDone()) waiting = sessions.onDidChange(isDone);
  return toDisposable(() => waiting?.dispose());
}
