import type { Action } from '../shared/state/sessionActions';
import { entriesFrom, entryAt } from '../shared/state/entryPages';
import type { SessionState } from '../shared/state/sessionState';

/** Commands belong to the window, whichever session of the agent runs them. */
const SHARED: ReadonlySet<Action['type']> = new Set(['terminalCreated', 'terminalOutput', 'terminalExited']);

/**
 * An action of a child session as one of the session at the top.
 * @param path the entries on the way to the child
 */
export function wrapForSubagent(action: Action, path: readonly number[]): Action {
  if (SHARED.has(action.type)) return action;
  return path.reduceRight<Action>((inner, entry) => ({ type: 'subagentActed', entry, action: inner }), action);
}

/** The state of the child session at the end of `path`. */
export function stateOf(state: SessionState, path: readonly number[]): SessionState {
  return path.reduce((at, index) => {
    const entry = entryAt(at.entries, index);
    return entry?.kind === 'subagent' ? entry.child : at;
  }, state);
}

/** True for a child session that runs and that the agent lets us cancel; also one inside of another. */
export function canStopSubagent(state: SessionState, childId: string): boolean {
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind !== 'subagent') continue;
    if (entry.sessionId === childId) return entry.canStop && entry.child.turn.status === 'running';
    if (canStopSubagent(entry.child, childId)) return true;
  }
  return false;
}
