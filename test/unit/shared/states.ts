import type { Action } from '../../../src/shared/actions';
import { entriesFrom } from '../../../src/shared/entries';
import { reduce } from '../../../src/shared/reducer';
import type { Entry, SessionState } from '../../../src/shared/state';
import { emptySession } from '../../../src/shared/state';

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

/** `state` with its entries and one more. */
export function withEntry(state: SessionState, entry: Entry): SessionState {
  return withEntries(state, ...entries(state), entry);
}
