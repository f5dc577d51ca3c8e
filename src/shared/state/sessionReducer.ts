import { assertNever } from '../../base/assert';
import { lastChars } from '../../base/text';
import { reduceElicitation } from './elicitationReducer';
import type { Action } from './sessionActions';
import { appendEntry, lastEntry, replaceEntry } from './entryPages';
import { reduceImport } from './importedSession';
import { isQueueAction, reduceQueue } from './messageQueueReducer';
import { isReviewAction, reduceReview } from './reviewReducer';
import type { AgentRef, Entry, MessageEntry, SessionState, Terminal, UserEntry } from './sessionState';
import {
  answerPermission,
  askPermission,
  changeTool,
  finishOpenToolCalls,
  rememberPermission,
  startTool,
} from './toolCallReducer';
import { changeConnection, finishTurnSideState, isUpdateAction, mergeUsage, reduceUpdate } from './subagentReducer';
import { addTurnSummary, setTurnFiles } from './turnReducer';

/**
 * Minimum UTF-16 units of terminal output retained for the page; at most twice as many. The host retains its own bytes
 * for the agent.
 */
export const TERMINAL_TAIL = 262_144;

type Of<T extends Action['type']> = Extract<Action, { type: T }>;

/** Pure; returns the same reference when nothing changed. */
// oxlint-disable-next-line max-lines-per-function -- one case per action, nothing else
export function reduce(state: SessionState, action: Action): SessionState {
  if (isUpdateAction(action))
    return reduceUpdate('at' in action ? closeMessage(state, action.at) : state, action, reduce);
  if (isReviewAction(action)) return reduceReview(state, action);
  if (isQueueAction(action)) return reduceQueue(state, action);
  switch (action.type) {
    case 'agentNamed':
      return nameAgent(state, action.agent);
    case 'agentSessionOpened':
      return { ...state, agentSession: action.session };
    case 'sessionImported':
    case 'entriesImported':
      return reduceImport(state, action);
    case 'agentSessionDated':
      return dateAgentSession(state, action.updatedAt);
    case 'branched':
      return { ...state, carries: true };
    case 'sessionRenamed':
      return { ...state, title: action.title, renamed: true };
    case 'replayEnded':
      return finishOpenToolCalls(closeMessage(state, action.at), 0, 'end_turn', action.at);
    case 'connectionChanged':
      return changeConnection(state, action.connection);
    case 'titleChanged':
      return changeTitle(state, action.title);
    case 'planChanged':
      return { ...state, plan: action.items };
    case 'commandsChanged':
      return { ...state, commands: action.commands };
    case 'usageChanged':
      return { ...state, usage: mergeUsage(state.usage, action.usage) };
    case 'promptSent':
    case 'stopRequested':
    case 'stopOverdue':
    case 'turnEnded':
      return reduceTurn(state, action);
    case 'turnFilesTold':
      return setTurnFiles(state, action);
    case 'textAppended':
      return appendText(state, action);
    case 'blockAppended':
      return appendBlock(state, action);
    case 'toolStarted':
      return startTool(closeMessage(state, action.at), action);
    case 'toolChanged':
      return changeTool(state, action);
    case 'permissionAsked':
      return askPermission(closeMessage(state, action.at), action);
    case 'permissionAnswered':
      return answerPermission(state, action);
    case 'permissionRemembered':
      return rememberPermission(state, action);
    case 'elicitationAsked':
      return reduceElicitation(closeMessage(state, action.at), action);
    case 'elicitationAnswered':
    case 'elicitationCompleted':
      return reduceElicitation(state, action);
    case 'noticeShown':
    case 'errorShown':
    case 'rawReceived':
      return append(closeMessage(state, action.at), shownEntry(action));
    case 'terminalCreated':
    case 'terminalOutput':
    case 'terminalExited':
      return reduceTerminal(state, action);
    default:
      return assertNever(action);
  }
}

/** A session id is valid only for its own agent. */
function nameAgent(state: SessionState, agent: AgentRef): SessionState {
  if (state.agent?.name === agent.name) return { ...state, agent };
  const { agentSession: _of, choices: _made, ...rest } = state;
  // Options and commands of the previous agent do not apply.
  return { ...rest, agent, selectors: [], commands: [] };
}

function dateAgentSession(state: SessionState, updatedAt: number | null): SessionState {
  if (!state.agentSession) return state;
  const { updatedAt: _before, ...session } = state.agentSession;
  return { ...state, agentSession: { ...session, ...(updatedAt !== null && { updatedAt }) } };
}

function changeTitle(state: SessionState, title: string | null): SessionState {
  if (state.renamed) return state;
  if (title !== null) return { ...state, title };
  const { title: _dropped, ...rest } = state;
  return rest;
}

function reduceTurn(
  state: SessionState,
  action: Of<'promptSent'> | Of<'stopRequested'> | Of<'stopOverdue'> | Of<'turnEnded'>,
): SessionState {
  const { turn } = state;
  switch (action.type) {
    case 'promptSent': {
      const { text, expansion, blocks, at } = action;
      const entry: UserEntry = { kind: 'user', text, ...(expansion && { expansion }), blocks, at };
      const running = { status: 'running', startedAt: action.at, firstEntry: state.entries.count } as const;
      const { carries: _told, ...rest } = append(closeMessage(state, action.at), entry);
      return { ...rest, turn: running };
    }
    case 'stopRequested':
      if (turn.status !== 'running' || turn.stopping) return state;
      // ACP prompt-turn, cancellation: unfinished calls are shown as canceled immediately, before the agent confirms.
      return {
        ...finishOpenToolCalls(state, turn.firstEntry, 'cancelled', action.at),
        turn: { ...turn, stopping: true },
      };
    case 'stopOverdue':
      return turn.status === 'running' && turn.stopping ? { ...state, turn: { ...turn, overdue: true } } : state;
    case 'turnEnded': {
      if (turn.status !== 'running') return state;
      const closed = finishOpenToolCalls(closeMessage(state, action.at), turn.firstEntry, action.stopReason, action.at);
      const turnOver = { status: 'idle', stopReason: action.stopReason } as const;
      const summed = addTurnSummary(closed, action.stopReason, action.at);
      return { ...finishTurnSideState(summed, action, reduce), turn: turnOver };
    }
    default:
      return assertNever(action);
  }
}

function append(state: SessionState, entry: Entry): SessionState {
  return { ...state, entries: appendEntry(state.entries, entry) };
}

function shownEntry(action: Of<'noticeShown'> | Of<'errorShown'> | Of<'rawReceived'>): Entry {
  const { type, ...fields } = action;
  if (type === 'noticeShown') return { kind: 'notice', ...(fields as Omit<Of<'noticeShown'>, 'type'>) };
  if (type === 'errorShown') return { kind: 'error', ...(fields as Omit<Of<'errorShown'>, 'type'>) };
  return { kind: 'raw', ...(fields as Omit<Of<'rawReceived'>, 'type'>) };
}

/** Finishes the newest entry when it is an open message or thought. */
function closeMessage(state: SessionState, at: number): SessionState {
  const last = lastEntry(state.entries);
  if (!last || (last.kind !== 'agent' && last.kind !== 'thought') || last.endedAt !== undefined) return state;
  return { ...state, entries: replaceEntry(state.entries, state.entries.count - 1, { ...last, endedAt: at }) };
}

/** The newest entry, if a chunk of this role and message continues it. */
function openMessage(
  state: SessionState,
  role: 'user' | 'agent' | 'thought',
  messageId: string | undefined,
): UserEntry | MessageEntry | undefined {
  const last = lastEntry(state.entries);
  if (!last || last.kind !== role) return undefined;
  if (last.kind !== 'user' && last.endedAt !== undefined) return undefined;
  return messageId === undefined || last.messageId === undefined || last.messageId === messageId ? last : undefined;
}

function appendText(state: SessionState, action: Of<'textAppended'>): SessionState {
  // An empty chunk has no text (some agents send one for its _meta) and must not create an empty entry.
  if (action.text === '') return state;
  const open = openMessage(state, action.role, action.messageId);
  if (!open || open.blocks.length > 0) return appendMessage(state, action, action.text, []);
  const entry = { ...open, text: open.text + action.text };
  return { ...state, entries: replaceEntry(state.entries, state.entries.count - 1, entry) };
}

function appendBlock(state: SessionState, action: Of<'blockAppended'>): SessionState {
  const open = openMessage(state, action.role, action.messageId);
  if (!open) return appendMessage(state, action, '', [action.block]);
  const entry = { ...open, blocks: [...open.blocks, action.block] };
  return { ...state, entries: replaceEntry(state.entries, state.entries.count - 1, entry) };
}

function appendMessage(
  state: SessionState,
  action: Of<'textAppended'> | Of<'blockAppended'>,
  text: string,
  blocks: MessageEntry['blocks'],
): SessionState {
  const id = action.messageId === undefined ? {} : { messageId: action.messageId };
  const { role, at } = action;
  const expansion = action.type === 'textAppended' && role === 'user' ? action.expansion : undefined;
  const entry = { kind: role, text, ...(expansion && { expansion }), blocks, ...id, at };
  return append(closeMessage(state, at), entry);
}

function reduceTerminal(
  state: SessionState,
  action: Of<'terminalCreated'> | Of<'terminalOutput'> | Of<'terminalExited'>,
): SessionState {
  if (action.type === 'terminalCreated') {
    const { type: _type, at, ...fields } = action;
    return withTerminal(state, { ...fields, output: '', truncated: false, startedAt: at });
  }
  const terminal = state.terminals[action.terminalId];
  if (!terminal) return state;
  if (action.type === 'terminalOutput') return withTerminal(state, appendOutput(terminal, action.data));
  const { type: _type, terminalId: _id, ...exit } = action;
  return withTerminal(state, { ...terminal, exit });
}

/**
 * Cuts at multiples of the limit. The result then depends only on the whole output, not on its chunks, which page and
 * history merge; and the cost of a chunk does not depend on earlier output (I8).
 */
function appendOutput(terminal: Terminal, data: string): Terminal {
  const output = terminal.output + data;
  const dropped = terminal.dropped ?? 0;
  const start = (Math.ceil((dropped + output.length) / TERMINAL_TAIL) - 2) * TERMINAL_TAIL;
  if (start <= dropped) return { ...terminal, output };
  const kept = lastChars(output, dropped + output.length - start);
  return { ...terminal, output: kept, dropped: dropped + output.length - kept.length, truncated: true };
}

function withTerminal(state: SessionState, terminal: Terminal): SessionState {
  return { ...state, terminals: { ...state.terminals, [terminal.terminalId]: terminal } };
}
