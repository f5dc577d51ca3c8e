import { assertNever } from '../../base/assert';
import { omitUndefined, patchFields } from '../../base/json';
import { patchCompaction, startCompaction } from './compactionState';
import { reduceConfigOptions } from './configOptionState';
import { reduceElicitation } from './elicitationReducer';
import { appendEntry, entriesFrom, entryAt, replaceEntry } from './entryPages';
import { reduceImport } from './importedSession';
import { reduceQueue } from './messageQueueState';
import { appendBlock, appendText, closeMessage } from './messageReducer';
import { reducePlans } from './planState';
import type { Preset } from './preset';
import { reduceReview } from './reviewState';
import type { Action } from './sessionActions';
import { patchSessionMessage, startSessionMessage } from './sessionMessageState';
import type {
  AgentRef,
  AgentSession,
  Connection,
  Entry,
  EntryPages,
  SessionState,
  SubagentEntry,
} from './sessionState';
import { emptySession } from './sessionState';
import type { SubagentAction, SubagentPatch } from './subagentState';
import { reduceTerminals } from './terminalState';
import {
  appendToolOutput,
  answerPermission,
  addPermission,
  changeTool,
  countUnasked,
  finishOpenToolCalls,
  markUnasked,
  rememberPermission,
  startTool,
} from './toolCallReducer';
import { reduceTurn, endTurn } from './turnReducer';
import { mergeLimits, mergeUsage } from './usageState';

type Of<T extends Action['type']> = Extract<Action, { type: T }>;

/** Pure; returns the same reference when nothing changed. */
// oxlint-disable-next-line max-lines-per-function -- one case per action, nothing else
export function reduce(state: SessionState, action: Action): SessionState {
  switch (action.type) {
    case 'agentNamed':
      return nameAgent(state, action.agent);
    case 'presetChosen':
      return choosePreset(state, action.preset);
    case 'agentSessionOpened':
      return openAgentSession(state, action.session);
    case 'agentSessionClosed':
      return closeAgentSession(state);
    case 'folderChosen':
      return chooseFolder(state, action);
    case 'branchRenamed':
      return { ...state, branch: action.branch };
    case 'sessionImported':
    case 'entriesImported':
      return reduceImport(state, action);
    case 'agentSessionDated':
      return dateAgentSession(state, action.updatedAt);
    case 'branched':
      return { ...state, hasUnknownEntries: true };
    case 'sessionRenamed':
      return { ...state, title: action.title, renamed: true };
    case 'replayEnded':
      return action.isPartial
        ? closeMessage(state, action.at)
        : finishOpenToolCalls(closeMessage(state, action.at), 0, 'end_turn', action.at);
    case 'connectionChanged':
      return changeConnection(state, action.connection);
    case 'titleChanged':
      return changeTitle(state, action.title);
    case 'commandsChanged':
      return { ...state, commands: action.commands };
    case 'promptSuggested':
      return suggestPrompt(state, action.text);
    case 'backgroundTasksChanged':
      return { ...state, background: action.tasks };
    case 'usageChanged':
      return { ...state, usage: mergeUsage(state.usage, action.usage) };
    case 'limitsChanged':
      return { ...state, limits: mergeLimits(state.limits, action.limits) };
    case 'retryScheduled':
      return { ...state, retryAt: action.retryAt };
    case 'retryEnded': {
      const { retryAt: _retryAt, ...rest } = state;
      return rest;
    }
    case 'promptSent':
    case 'stopRequested':
    case 'stopOverdue':
    case 'turnEnded':
    case 'turnFilesTold':
      return reduceTurn(state, action);
    case 'textAppended':
      return appendText(state, action);
    case 'blockAppended':
      return appendBlock(state, action);
    case 'toolStarted':
      return startTool(closeMessage(state, action.at), action);
    case 'toolChanged':
      return changeTool(state, action);
    case 'toolOutputAppended':
      return appendToolOutput(state, action);
    case 'permissionAsked':
      return addPermission(closeMessage(state, action.at), action);
    case 'permissionAnswered':
      return answerPermission(state, action);
    case 'permissionRemembered':
      return rememberPermission(state, action);
    case 'toolsUnasked':
      return countUnasked(markUnasked(state, action), action);
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
      return reduceTerminals(state, action);
    case 'selectorsChanged':
    case 'selectorChosen':
    case 'choiceSettled':
    case 'choicesKept':
      return reduceConfigOptions(state, action);
    case 'planChanged':
    case 'planUpdated':
    case 'planRemoved':
      return reducePlans(state, action);
    case 'compactionStarted':
      return append(closeMessage(state, action.at), startCompaction(action));
    case 'compactionChanged':
      return change(state, action.entry, 'compaction', (entry) => patchCompaction(entry, action.patch));
    case 'relayStarted':
      return append(closeMessage(state, action.at), startSessionMessage(action));
    case 'relayChanged':
      return change(state, action.entry, 'relay', (entry) => patchSessionMessage(entry, action.patch));
    case 'subagentStarted':
      return append(closeMessage(state, action.at), startSubagent(action));
    case 'subagentChanged': {
      const closed = closeMessage(state, action.at);
      return change(closed, action.entry, 'subagent', (entry) => patchSubagent(entry, action.patch, action.at));
    }
    case 'subagentActed':
      return countUnasked(actInChild(state, action), action.action);
    case 'changesChanged':
    case 'checkpointsChanged':
    case 'checkpointRestored':
    case 'restoreUndone':
      return reduceReview(state, action);
    case 'messageQueued':
    case 'queuedChanged':
    case 'queuedMoved':
    case 'queuedTaken':
    case 'queuePaused':
    case 'queueResumed':
    case 'queuedHeld':
    case 'queuedNext':
      return reduceQueue(state, action);
    default:
      return assertNever(action);
  }
}

/** A session id is valid only for its own agent. */
function nameAgent(state: SessionState, agent: AgentRef | undefined): SessionState {
  if (agent && state.agent?.name === agent.name) return { ...state, agent };
  const { agent: _agent, agentSession: _agentSession, choices: _choices, suggestion: _suggestion, ...others } = state;
  const { usage: _usage, limits: _limits, tokens: _tokens, retryAt: _retryAt, preset: _preset, ...rest } = others;
  // Options, commands and limits of the previous agent do not apply.
  return { ...rest, ...(agent && { agent }), selectors: [], commands: [], background: [] };
}

/** Values that the user selected before do not apply. */
function choosePreset(state: SessionState, preset: Preset | undefined): SessionState {
  const { preset: _preset, choices: _choices, ...rest } = closeAgentSession(state);
  return { ...rest, ...(preset && { preset }) };
}

function suggestPrompt({ suggestion: _suggestion, ...state }: SessionState, text: string | undefined): SessionState {
  return text === undefined ? state : { ...state, suggestion: text };
}

function closeAgentSession({
  agentSession: _agentSession,
  suggestion: _suggestion,
  ...state
}: SessionState): SessionState {
  return { ...state, selectors: [], commands: [] };
}

/** Options and commands can depend on the folder. */
function chooseFolder(
  { agentSession: _agentSession, folder: _folder, branch: _branch, suggestion: _suggestion, ...state }: SessionState,
  { folder, branch }: Extract<Action, { type: 'folderChosen' }>,
): SessionState {
  return { ...state, ...omitUndefined({ folder: folder ?? undefined, branch }), selectors: [], commands: [] };
}

function openAgentSession({ branch, ...state }: SessionState, agentSession: AgentSession): SessionState {
  const isSame = agentSession.cwd === state.folder;
  return {
    ...state,
    ...omitUndefined({ branch: isSame ? branch : undefined }),
    agentSession,
    folder: agentSession.cwd,
  };
}

function dateAgentSession(state: SessionState, updatedAt: number | null): SessionState {
  if (!state.agentSession) return state;
  const { updatedAt: _updatedAt, ...session } = state.agentSession;
  return { ...state, agentSession: { ...session, ...(updatedAt !== null && { updatedAt }) } };
}

function changeTitle(state: SessionState, title: string | null): SessionState {
  if (state.renamed) return state;
  if (title !== null) return { ...state, title };
  const { title: _title, ...rest } = state;
  return rest;
}

/** What an agent reported applies only while it runs. The options and commands of an idle one are shown until it reports others. */
function changeConnection(state: SessionState, connection: Connection): SessionState {
  const hasEnded = connection.status === 'starting' || connection.status === 'failed' || connection.status === 'exited';
  const isFromIdle = connection.status === 'starting' && state.connection.status === 'idle';
  const isNew = connection.status === 'ready' && state.connection.status !== 'ready';
  const entries = isNew ? withoutRestart(state.entries) : state.entries;
  const lists = isFromIdle ? { background: [] } : { selectors: [], commands: [], background: [] };
  return { ...state, connection, entries, ...(hasEnded && lists) };
}

/** Errors from before a start of the agent no longer offer to restart it. */
function withoutRestart(entries: EntryPages): EntryPages {
  let pages = entries;
  for (const [index, entry] of entriesFrom(entries)) {
    if (entry.kind !== 'error' || !entry.remedies.includes('restart')) continue;
    const remedies = entry.remedies.filter((remedy) => remedy !== 'restart');
    pages = replaceEntry(pages, index, { ...entry, remedies });
  }
  return pages;
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

function change<K extends Entry['kind']>(
  state: SessionState,
  index: number,
  kind: K,
  patch: (entry: Extract<Entry, { kind: K }>) => Entry,
): SessionState {
  const entry = entryAt(state.entries, index);
  if (entry?.kind !== kind) return state;
  const entries = replaceEntry(state.entries, index, patch(entry as Extract<Entry, { kind: K }>));
  return entries === state.entries ? state : { ...state, entries };
}

function actInChild(state: SessionState, { entry: index, action }: Of<'subagentActed'>): SessionState {
  return change(state, index, 'subagent', (entry) => withChild(entry, reduce(entry.child, action)));
}

function withChild(entry: SubagentEntry, child: SessionState): SubagentEntry {
  return child === entry.child ? entry : { ...entry, child };
}

/** The parts of `reduce` for the entry of a child session; `sessionReducer` applies the actions inside a child. */

function startSubagent({ sessionId, patch, at }: Extract<SubagentAction, { type: 'subagentStarted' }>): SubagentEntry {
  const child: SessionState = { ...emptySession(sessionId), turn: { status: 'running', startedAt: at, firstEntry: 0 } };
  const blank: SubagentEntry = { kind: 'subagent', sessionId, canStop: false, child, at };
  return patchSubagent(blank, patch, at);
}

function patchSubagent(entry: SubagentEntry, patch: SubagentPatch, at: number): SubagentEntry {
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
