import { assertNever } from '../../base/assert';
import { appendEntry, entriesFrom, replaceEntry } from './entryPages';
import { closeMessage } from './messageReducer';
import { withoutEndedPlans } from './planState';
import type { Action } from './sessionActions';
import type { SessionState, UserEntry } from './sessionState';
import { finishOpenToolCalls } from './toolCallReducer';
import type { StopReason } from './turnSummary';

type Of<T extends Action['type']> = Extract<Action, { type: T }>;

export function reduceTurn(
  state: SessionState,
  action: Of<'promptSent'> | Of<'stopRequested'> | Of<'stopOverdue'> | Of<'turnEnded'> | Of<'turnFilesTold'>,
): SessionState {
  const { turn } = state;
  switch (action.type) {
    case 'promptSent':
      return startTurn(state, action);
    case 'stopRequested':
      if (turn.status !== 'running' || turn.stopping) return state;
      // ACP prompt-turn, cancellation: unfinished calls are shown as canceled immediately, before the agent confirms.
      return {
        ...finishOpenToolCalls(state, turn.firstEntry, 'cancelled', action.at),
        turn: { ...turn, stopping: true },
      };
    case 'stopOverdue':
      return turn.status === 'running' && turn.stopping ? { ...state, turn: { ...turn, overdue: true } } : state;
    case 'turnEnded':
      return endTurn(state, action);
    case 'turnFilesTold':
      return setTurnFiles(state, action);
    default:
      return assertNever(action);
  }
}

/** By the user, and by the end of the window. */
const CUT_OFF: ReadonlySet<StopReason> = new Set(['cancelled', 'interrupted']);

function startTurn(state: SessionState, { text, expansion, blocks, at }: Of<'promptSent'>): SessionState {
  const entry: UserEntry = { kind: 'user', text, ...(expansion && { expansion }), blocks, at };
  const {
    hasUnknownEntries: _hasUnknownEntries,
    retryAt: _retryAt,
    suggestion: _suggestion,
    ...closed
  } = closeMessage(state, at);
  const turn = { status: 'running', startedAt: at, firstEntry: state.entries.count } as const;
  const isCutOff = state.turn.status === 'idle' && CUT_OFF.has(state.turn.stopReason ?? '');
  return { ...withoutEndedPlans(closed, isCutOff), entries: appendEntry(closed.entries, entry), turn };
}

/** Also ends the turn of a child session. */
export function endTurn(state: SessionState, { stopReason, tokens, at }: Omit<Of<'turnEnded'>, 'type'>): SessionState {
  const { turn } = state;
  if (turn.status !== 'running') return state;
  const closed = finishOpenToolCalls(closeMessage(state, at), turn.firstEntry, stopReason, at);
  const ended = finishSubagents(addTurnSummary(closed, stopReason, at), turn.firstEntry, stopReason, at);
  const terminals = finishAgentTerminals(ended, at);
  return { ...ended, terminals, ...(tokens && { tokens }), turn: { status: 'idle', stopReason } };
}

/** Ends the commands that the agent runs itself. */
function finishAgentTerminals({ terminals }: SessionState, at: number): SessionState['terminals'] {
  const open = Object.values(terminals).filter(({ foreign, exit }) => foreign && !exit);
  const ended = open.map((terminal) => [terminal.terminalId, { ...terminal, exit: { at } }] as const);
  return open.length > 0 ? { ...terminals, ...Object.fromEntries(ended) } : terminals;
}

/**
 * Finishes child sessions that a turn left open: all after an unsuccessful turn, else those without any reported
 * activity.
 */
function finishSubagents(state: SessionState, firstEntry: number, stopReason: StopReason, at: number): SessionState {
  let { entries } = state;
  for (const [index, entry] of entriesFrom(entries, firstEntry)) {
    if (entry.kind !== 'subagent' || entry.child.turn.status !== 'running') continue;
    if (stopReason === 'end_turn' && entry.activity !== undefined) continue;
    const child = endTurn(entry.child, { stopReason, at });
    entries = replaceEntry(entries, index, { ...entry, activity: 'idle', stopReason, child });
  }
  return entries === state.entries ? state : { ...state, entries };
}

/** Adds the running turn to the finished ones; called before it is removed. */
function addTurnSummary(state: SessionState, stopReason: StopReason, at: number): SessionState {
  const { turn, entries, turns } = state;
  if (turn.status !== 'running') return state;
  let tools = 0;
  for (const [, { kind }] of entriesFrom(entries, turn.firstEntry)) if (kind === 'tool') tools++;
  const ms = Math.max(0, at - turn.startedAt);
  return { ...state, turns: [...turns, { entry: turn.firstEntry, end: entries.count, ms, tools, stopReason }] };
}

/** Pure; returns the same reference when there is no such turn. */
function setTurnFiles(state: SessionState, { entry, files }: Of<'turnFilesTold'>): SessionState {
  const at = state.turns.findLastIndex((turn) => turn.entry === entry);
  const turn = state.turns[at];
  return turn ? { ...state, turns: state.turns.with(at, { ...turn, files }) } : state;
}
