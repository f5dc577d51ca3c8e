import type { Action } from '../shared/state/sessionActions';
import { entriesFrom, entryAt } from '../shared/state/entryPages';
import type { SessionState } from '../shared/state/sessionState';

/** Terminals belong to the window, whichever session of the agent runs them. */
const SHARED: ReadonlySet<Action['type']> = new Set(['terminalCreated', 'terminalOutput', 'terminalExited']);

/**
 * Wraps an action of a child session for the top-level session.
 * @param path the entries on the way to the child
 */
export function wrapForSubagent(action: Action, path: readonly number[]): Action {
  if (SHARED.has(action.type)) return action;
  return path.reduceRight<Action>((inner, entry) => ({ type: 'subagentActed', entry, action: inner }), action);
}

/** The state of the child session at `path`. */
export function stateOf(state: SessionState, path: readonly number[]): SessionState {
  return path.reduce((at, index) => {
    const entry = entryAt(at.entries, index);
    return entry?.kind === 'subagent' ? entry.child : at;
  }, state);
}

/** Whether a child session at any depth runs and the agent supports canceling it. */
export function canStopSubagent(state: SessionState, childId: string): boolean {
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind !== 'subagent') continue;
    if (entry.sessionId === childId) return entry.canStop && entry.child.turn.status === 'running';
    if (canStopSubagent(entry.child, childId)) return true;
  }
  return false;
}
