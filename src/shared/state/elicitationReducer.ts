import type { ElicitationOutcome, ElicitationQuestion } from './elicitationState';
import { appendEntry, entryAt, replaceEntry } from './entryPages';
import type { SessionState } from './sessionState';

export type ElicitationAction =
  | {
      readonly type: 'elicitationAsked';
      readonly elicitationId: string;
      readonly agent: string;
      readonly message: string;
      readonly question: ElicitationQuestion;
      readonly at: number;
    }
  | { readonly type: 'elicitationAnswered'; readonly entry: number; readonly outcome: ElicitationOutcome }
  | { readonly type: 'elicitationCompleted'; readonly entry: number };

export function reduceElicitation(state: SessionState, action: ElicitationAction): SessionState {
  if (action.type === 'elicitationAsked') {
    const { type: _type, ...fields } = action;
    const entries = appendEntry(state.entries, { kind: 'elicitation', ...fields });
    return { ...state, entries, waiting: [...state.waiting, state.entries.count] };
  }
  const asked = entryAt(state.entries, action.entry);
  if (asked?.kind !== 'elicitation') return state;
  if (action.type === 'elicitationCompleted') {
    if (asked.completed) return state;
    return { ...state, entries: replaceEntry(state.entries, action.entry, { ...asked, completed: true }) };
  }
  if (asked.outcome) return state;
  const waiting = state.waiting.filter((index) => index !== action.entry);
  return {
    ...state,
    waiting,
    entries: replaceEntry(state.entries, action.entry, { ...asked, outcome: action.outcome }),
  };
}
