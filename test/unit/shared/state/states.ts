import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Entry, SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';

/** The state after these actions in a new session. */
export function play(...actions: Action[]): SessionState {
  return actions.reduce(reduce, emptySession('s'));
}

export function entries(state: SessionState): Entry[] {
  return Array.from(entriesFrom(state.entries), ([, entry]) => entry);
}

/** `state` with these entries, as many as fit into one page. */
export function withEntries(state: SessionState, ...page: Entry[]): SessionState {
  return { ...state, entries: { count: page.length, pages: [page] } };
}

/** `state` with one more entry. */
export function withEntry(state: SessionState, entry: Entry): SessionState {
  return withEntries(state, ...entries(state), entry);
}
