import { patchFields } from '../../base/json';
import type { SessionState, SubagentEntry } from './sessionState';
import { emptySession } from './sessionState';
import type { SubagentAction, SubagentPatch } from './subagentState';
import { endTurn } from './turnReducer';

/** The parts of `reduce` for the entry of a child session; `sessionReducer` applies the actions inside a child. */

export function startSubagent({
  sessionId,
  patch,
  at,
}: Extract<SubagentAction, { type: 'subagentStarted' }>): SubagentEntry {
  const child: SessionState = { ...emptySession(sessionId), turn: { status: 'running', startedAt: at, firstEntry: 0 } };
  const blank: SubagentEntry = { kind: 'subagent', sessionId, canStop: false, child, at };
  return patchSubagent(blank, patch, at);
}

export function patchSubagent(entry: SubagentEntry, patch: SubagentPatch, at: number): SubagentEntry {
  const { canStop = entry.canStop, title, description, activity, stopReason } = patch;
  const patched = { ...patchFields(entry, { title, description, activity, stopReason }), canStop };
  return activity === undefined || activity === null ? patched : { ...patched, child: childAfter(patched, at) };
}

/** The child's turn runs until the agent reports its end. */
function childAfter({ child, activity, stopReason }: SubagentEntry, at: number): SessionState {
  const isRunning = child.turn.status === 'running';
  if (activity === 'idle') return isRunning ? endTurn(child, { stopReason: stopReason ?? 'end_turn', at }) : child;
  if (isRunning) return child;
  return { ...child, turn: { status: 'running', startedAt: at, firstEntry: child.entries.count } };
}
