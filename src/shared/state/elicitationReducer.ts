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
  const elicitation = entryAt(state.entries, action.entry);
  if (elicitation?.kind !== 'elicitation') return state;
  if (action.type === 'elicitationCompleted') {
    if (elicitation.completed) return state;
    return { ...state, entries: replaceEntry(state.entries, action.entry, { ...elicitation, completed: true }) };
  }
  if (elicitation.outcome) return state;
  const waiting = state.waiting.filter((index) => index !== action.entry);
  return {
    ...state,
    waiting,
    entries: replaceEntry(state.entries, action.entry, { ...elicitation, outcome: action.outcome }),
  };
}
