import { entriesFrom } from './entryPages';
import type { FileStatus } from './reviewState';
import type { SessionState, StopReason } from './sessionState';

/** What a turn came to: how long it took, what was called, which files are different. */

/** A file that the agent changed in a turn. */
export interface TurnFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** Lines. 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  /** Tells what was in it after the turn from anything else; absent when there was no file then. */
  readonly mark?: string;
}

export interface TurnSummary {
  /** Index of its prompt. */
  readonly entry: number;
  /** Index after its last entry. */
  readonly end: number;
  readonly ms: number;
  /** Tool calls. */
  readonly tools: number;
  readonly stopReason: StopReason;
  /** Told a moment after the end, when everything was looked at. */
  readonly files?: readonly TurnFile[];
}

export type TurnAction = {
  readonly type: 'turnFilesTold';
  /** Index of the turn's prompt. */
  readonly entry: number;
  readonly files: readonly TurnFile[];
};

/** The state with the running turn among those that have ended; called before it is taken off. */
export function addTurnSummary(state: SessionState, stopReason: StopReason, at: number): SessionState {
  const { turn, entries, turns } = state;
  if (turn.status !== 'running') return state;
  let tools = 0;
  for (const [, { kind }] of entriesFrom(entries, turn.firstEntry)) if (kind === 'tool') tools++;
  const ms = Math.max(0, at - turn.startedAt);
  return { ...state, turns: [...turns, { entry: turn.firstEntry, end: entries.count, ms, tools, stopReason }] };
}

/** Pure; the same reference comes back when there is no such turn. */
export function setTurnFiles(state: SessionState, { entry, files }: TurnAction): SessionState {
  const at = state.turns.findLastIndex((turn) => turn.entry === entry);
  const turn = state.turns[at];
  return turn ? { ...state, turns: state.turns.with(at, { ...turn, files }) } : state;
}
