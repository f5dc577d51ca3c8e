import { t } from '../../base/l10n';
import type { ToolContent } from './contentBlocks';
import { appendEntry, entriesFrom, entryAt, replaceEntry } from './entryPages';
import type { Action } from './sessionActions';
import type { SessionState } from './sessionState';
import type { PermissionEntry, ToolCallAction, ToolEntry, ToolPatch, ToolStatus } from './toolCallState';
import type { StopReason } from './turnSummary';

/** The parts of `reduce` for tool calls and their permission requests. */

type Of<T extends ToolCallAction['type']> = Extract<ToolCallAction, { type: T }>;

export function startTool(state: SessionState, action: Of<'toolStarted'>): SessionState {
  const blank: ToolEntry = {
    kind: 'tool',
    toolCallId: action.toolCallId,
    title: '',
    tool: 'other',
    status: 'pending',
    waiting: 0,
    content: [],
    locations: [],
    at: action.at,
  };
  return { ...state, entries: appendEntry(state.entries, patchTool(blank, action.patch, action.at)) };
}

export function changeTool(state: SessionState, action: Of<'toolChanged'>): SessionState {
  return updateTool(state, action.entry, (tool) => patchTool(tool, action.patch, action.at));
}

export function appendToolOutput(state: SessionState, action: Of<'toolOutputAppended'>): SessionState {
  return updateTool(state, action.entry, (tool) => {
    const before = onlyText(tool.content);
    if (before === undefined || action.text === '') return tool;
    return { ...tool, content: [{ type: 'block', block: { type: 'text', text: before + action.text } }] };
  });
}

/** The text of content that is nothing but one text; undefined for any other content. */
export function onlyText(content: readonly ToolContent[]): string | undefined {
  const [item] = content;
  return content.length === 1 && item?.type === 'block' && item.block.type === 'text' ? item.block.text : undefined;
}

export function addPermission(state: SessionState, action: Of<'permissionAsked'>): SessionState {
  const { type: _type, about = entryAt(state.entries, action.tool), ...fields } = action;
  const permission: PermissionEntry = {
    kind: 'permission',
    ...fields,
    ...(!fields.outcome && about?.kind === 'tool' && { about }),
  };
  const entries = appendEntry(state.entries, permission);
  if (permission.outcome) return settleTool({ ...state, entries }, permission, action.at);
  const waiting = [...state.waiting, state.entries.count];
  return updateTool({ ...state, entries, waiting }, action.tool, (tool) => ({ ...tool, waiting: tool.waiting + 1 }));
}

export function answerPermission(state: SessionState, action: Of<'permissionAnswered'>): SessionState {
  const permission = entryAt(state.entries, action.entry);
  // Answered exactly once (I7): a second answer changes nothing.
  if (permission?.kind !== 'permission' || permission.outcome) return state;
  const answered = { ...withoutAbout(permission), outcome: action.outcome, answeredAt: action.at };
  const entries = replaceEntry(state.entries, action.entry, answered);
  const decided = statusAfterAnswer(permission, action.outcome);
  const waiting = state.waiting.filter((index) => index !== action.entry);
  return updateTool({ ...state, entries, waiting }, permission.tool, (tool) => ({
    ...tool,
    waiting: Math.max(0, tool.waiting - 1),
    ...(decided && isOpen(tool.status) && { status: decided, endedAt: action.at }),
  }));
}

export function markUnasked(state: SessionState, { entries: marked }: Of<'toolsUnasked'>): SessionState {
  return marked.reduce((now, index) => updateTool(now, index, (tool) => ({ ...tool, unasked: true })), state);
}

/**
 * Adds the calls that an action marks to the summary of the last turn. Calls of child sessions are included, because
 * only turns of the session itself have a summary.
 */
export function countUnasked(state: SessionState, action: Action): SessionState {
  if (action.type === 'subagentActed') return countUnasked(state, action.action);
  const last = state.turns.at(-1);
  if (action.type !== 'toolsUnasked' || !last) return state;
  const unasked = (last.unasked ?? 0) + action.entries.length;
  return { ...state, turns: state.turns.with(state.turns.length - 1, { ...last, unasked }) };
}

function withoutAbout({ about: _about, ...permission }: PermissionEntry): PermissionEntry {
  return permission;
}

export function rememberPermission(state: SessionState, action: Of<'permissionRemembered'>): SessionState {
  const answered = entryAt(state.entries, action.entry);
  if (answered?.kind !== 'permission' || answered.outcome?.type !== 'selected') return state;
  const { remembered } = action;
  return { ...state, entries: replaceEntry(state.entries, action.entry, { ...answered, remembered }) };
}

/** A call that a rule denied ends without ever being pending. */
function settleTool(state: SessionState, permission: PermissionEntry, at: number): SessionState {
  const status = statusAfterAnswer(permission, permission.outcome);
  if (!status) return state;
  return updateTool(state, permission.tool, (tool) => (isOpen(tool.status) ? { ...tool, status, endedAt: at } : tool));
}

function statusAfterAnswer(permission: PermissionEntry, outcome: PermissionEntry['outcome']): ToolStatus | undefined {
  if (outcome?.type !== 'selected') return outcome && 'canceled';
  const kind = permission.options.find((option) => option.optionId === outcome.optionId)?.kind;
  return kind === 'reject_once' || kind === 'reject_always' ? 'rejected' : undefined;
}

/** Finishes calls and requests that a turn left open, from its first entry on: agents often never finish a stopped call (ACP prompt-turn, cancellation). */
export function finishOpenToolCalls(
  state: SessionState,
  firstEntry: number,
  stopReason: StopReason,
  at: number,
): SessionState {
  let { entries } = state;
  const waiting = state.waiting.filter((index) => index < firstEntry);
  for (const index of state.waiting) {
    if (index < firstEntry) continue;
    const entry = entryAt(entries, index);
    if (entry?.kind !== 'permission' && entry?.kind !== 'elicitation') continue;
    const reason = stopReason === 'interrupted' ? t('window reloaded') : t('the turn ended');
    const closed = entry.kind === 'permission' ? withoutAbout(entry) : entry;
    entries = replaceEntry(entries, index, { ...closed, outcome: { type: 'canceled', reason } });
  }
  for (const [index, entry] of entriesFrom(entries, firstEntry)) {
    if (entry.kind !== 'tool' || (!isOpen(entry.status) && entry.waiting === 0)) continue;
    const status = isOpen(entry.status) ? statusAtEnd(stopReason) : entry.status;
    const isCut = isOpen(entry.status) && stopReason !== 'end_turn' && stopReason !== 'cancelled';
    entries = replaceEntry(entries, index, {
      ...entry,
      status,
      ...(isCut && { interrupted: true }),
      waiting: 0,
      endedAt: at,
    });
  }
  return entries === state.entries ? state : { ...state, entries, waiting };
}

/** An unfinished call of a successful turn counts as done: the agent had no further updates for it. */
function statusAtEnd(stopReason: string): ToolStatus {
  if (stopReason === 'end_turn') return 'done';
  return stopReason === 'error' ? 'failed' : 'canceled';
}

function updateTool(state: SessionState, index: number, change: (tool: ToolEntry) => ToolEntry): SessionState {
  const entry = entryAt(state.entries, index);
  if (entry?.kind !== 'tool') return state;
  const entries = replaceEntry(state.entries, index, change(entry));
  return entries === state.entries ? state : { ...state, entries };
}

function patchTool(tool: ToolEntry, patch: ToolPatch, at: number): ToolEntry {
  const status = nextStatus(tool.status, patch.status);
  const ended = !isOpen(status) && tool.endedAt === undefined ? { endedAt: at } : {};
  return { ...tool, ...patch, status, ...ended };
}

/**
 * A late `pending` never resets a call, a finished call never runs again, and a call that the user rejected stays
 * rejected whatever the agent reports. A canceled call may still become done.
 */
function nextStatus(now: ToolStatus, next: ToolStatus | undefined): ToolStatus {
  if (next === undefined || next === now) return now;
  if (now === 'rejected') return now;
  if (now === 'canceled') return next === 'done' ? next : now;
  if (!isOpen(now)) return isOpen(next) ? now : next;
  return now === 'running' && next === 'pending' ? now : next;
}

export function isOpen(status: ToolStatus): boolean {
  return status === 'pending' || status === 'running';
}
