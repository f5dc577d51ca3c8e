import { entriesFrom } from './entryPages';
import type { SessionState } from './sessionState';
import type { StopReason, TurnFile } from './turnSummary';

export type TurnAction = {
  readonly type: 'turnFilesTold';
  /** Index of the turn's prompt. */
  readonly entry: number;
  readonly files: readonly TurnFile[];
};

/** Adds the running turn to the finished ones; called before it is removed. */
export function addTurnSummary(state: SessionState, stopReason: StopReason, at: number): SessionState {
  const { turn, entries, turns } = state;
  if (turn.status !== 'running') return state;
  let tools = 0;
  for (const [, { kind }] of entriesFrom(entries, turn.firstEntry)) if (kind === 'tool') tools++;
  const ms = Math.max(0, at - turn.startedAt);
  return { ...state, turns: [...turns, { entry: turn.firstEntry, end: entries.count, ms, tools, stopReason }] };
}

/** Pure; returns the same reference when there is no such turn. */
export function setTurnFiles(state: SessionState, { entry, files }: TurnAction): SessionState {
  const at = state.turns.findLastIndex((turn) => turn.entry === entry);
  const turn = state.turns[at];
  return turn ? { ...state, turns: state.turns.with(at, { ...turn, files }) } : state;
}
