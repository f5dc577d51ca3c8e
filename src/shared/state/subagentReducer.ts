import { assertNever } from '../../base/assert';
import type { Action } from './sessionActions';
import type { Block } from './contentBlocks';
import { appendEntry, entriesFrom, entryAt, replaceEntry } from './entryPages';
import type { ConfigOption } from './configOptionState';
import { emptySession } from './sessionState';
import type { Connection, Entry, SessionState, SubagentEntry, Usage } from './sessionState';
import type {
  CompactionEntry,
  NamedPlan,
  SessionMessageEntry,
  SubagentPatch,
  TextPatch,
  UpdateAction,
} from './subagentState';

/** The parts of `reduce` for options, plans by id, compaction and child sessions. */

/** Includes actions of a child session, which may be of any kind. */
type SubagentAction = UpdateAction | Extract<Action, { type: 'subagentActed' }>;
type Of<T extends SubagentAction['type']> = Extract<SubagentAction, { type: T }>;
type Reduce = (state: SessionState, action: Action) => SessionState;

const TYPES: ReadonlySet<string> = new Set<SubagentAction['type']>([
  'selectorsChanged',
  'selectorChosen',
  'choiceSettled',
  'choicesKept',
  'planUpdated',
  'planRemoved',
  'compactionStarted',
  'compactionChanged',
  'relayStarted',
  'relayChanged',
  'subagentStarted',
  'subagentChanged',
  'subagentActed',
]);

export function isUpdateAction(action: Action): action is SubagentAction {
  return TYPES.has(action.type);
}

/** @param reduce the complete reducer, for actions of a child session */
// oxlint-disable-next-line max-lines-per-function -- one case per action, nothing else
export function reduceUpdate(state: SessionState, action: SubagentAction, reduce: Reduce): SessionState {
  switch (action.type) {
    case 'selectorsChanged':
      return { ...state, selectors: keepWishes(action.selectors, state.selectors) };
    case 'selectorChosen':
      return changeSelector(state, action.id, (selector) => ({ ...selector, wanted: action.value }) as ConfigOption);
    case 'choiceSettled':
      return changeSelector(state, action.id, (selector) => settled(selector, action.value));
    case 'choicesKept':
      return { ...state, choices: action.choices };
    case 'planUpdated':
      return { ...state, plans: withPlan(state.plans, action.plan) };
    case 'planRemoved':
      return { ...state, plans: state.plans.filter(({ planId }) => planId !== action.planId) };
    case 'compactionStarted':
      return append(state, startCompaction(action));
    case 'compactionChanged':
      return change(state, action.entry, 'compaction', (entry) => patchCompaction(entry, action.patch));
    case 'relayStarted':
      return append(state, startRelay(action));
    case 'relayChanged':
      return change(state, action.entry, 'relay', (entry) => patchRelay(entry, action.patch));
    case 'subagentStarted':
      return append(state, startSubagent(action, reduce));
    case 'subagentChanged':
      return change(state, action.entry, 'subagent', (entry) => patchSubagent(entry, action.patch, action.at, reduce));
    case 'subagentActed':
      return change(state, action.entry, 'subagent', (entry) => act(entry, action.action, reduce));
    default:
      return assertNever(action);
  }
}

/** The usage after an update; an omitted cost stays unchanged. */
export function mergeUsage(before: Usage | undefined, usage: Usage): Usage {
  return before?.cost && !usage.cost ? { ...usage, cost: before.cost } : usage;
}

/** Config options and commands of an agent are known only while it runs. */
export function changeConnection(state: SessionState, connection: Connection): SessionState {
  const gone = connection.status === 'starting' || connection.status === 'failed' || connection.status === 'exited';
  return { ...state, connection, ...(gone && { selectors: [], commands: [] }) };
}

/** Finishes everything besides the entries at the end of a turn: child sessions, the agent's own commands, tokens. */
export function finishTurnSideState(
  state: SessionState,
  { stopReason, tokens, at }: Extract<Action, { type: 'turnEnded' }>,
  reduce: Reduce,
): SessionState {
  const open = Object.values(state.terminals).filter(({ foreign, exit }) => foreign && !exit);
  const ended = open.map((terminal) => [terminal.terminalId, { ...terminal, exit: { at } }] as const);
  const terminals = open.length > 0 ? { ...state.terminals, ...Object.fromEntries(ended) } : state.terminals;
  return { ...closeSubagents(state, stopReason, at, reduce), terminals, ...(tokens && { tokens }) };
}

/**
 * Finishes child sessions that a turn left open: all after an unsuccessful turn, else those without any reported
 * activity.
 */
function closeSubagents(state: SessionState, stopReason: string, at: number, reduce: Reduce): SessionState {
  let { entries } = state;
  for (const [index, entry] of entriesFrom(entries, firstOfTurn(state))) {
    if (entry.kind !== 'subagent' || entry.child.turn.status !== 'running') continue;
    if (stopReason === 'end_turn' && entry.activity !== undefined) continue;
    const child = reduce(entry.child, { type: 'turnEnded', stopReason, at });
    entries = replaceEntry(entries, index, { ...entry, activity: 'idle', stopReason, child });
  }
  return entries === state.entries ? state : { ...state, entries };
}

function firstOfTurn(state: SessionState): number {
  return state.turn.status === 'running' ? state.turn.firstEntry : state.entries.count;
}

function keepWishes(next: readonly ConfigOption[], before: readonly ConfigOption[]): readonly ConfigOption[] {
  return next.map((selector) => {
    const old = before.find(({ id, kind }) => id === selector.id && kind === selector.kind);
    return old?.wanted === undefined ? selector : ({ ...selector, wanted: old.wanted } as ConfigOption);
  });
}

function settled(selector: ConfigOption, value: string | boolean | undefined): ConfigOption {
  const { wanted: _wanted, ...rest } = selector;
  return (value === undefined ? rest : { ...rest, value }) as ConfigOption;
}

function changeSelector(
  state: SessionState,
  id: string,
  with_: (selector: ConfigOption) => ConfigOption,
): SessionState {
  const at = state.selectors.findIndex((selector) => selector.id === id);
  const selector = state.selectors[at];
  return selector ? { ...state, selectors: state.selectors.with(at, with_(selector)) } : state;
}

function withPlan(plans: readonly NamedPlan[], plan: NamedPlan): readonly NamedPlan[] {
  const at = plans.findIndex(({ planId }) => planId === plan.planId);
  return at < 0 ? [...plans, plan] : plans.with(at, plan);
}

function append(state: SessionState, entry: Entry): SessionState {
  return { ...state, entries: appendEntry(state.entries, entry) };
}

function change<K extends Entry['kind']>(
  state: SessionState,
  index: number,
  kind: K,
  with_: (entry: Extract<Entry, { kind: K }>) => Entry,
): SessionState {
  const entry = entryAt(state.entries, index);
  if (entry?.kind !== kind) return state;
  const entries = replaceEntry(state.entries, index, with_(entry as Extract<Entry, { kind: K }>));
  return entries === state.entries ? state : { ...state, entries };
}

function patchText<E extends { readonly text: string; readonly blocks: readonly Block[] }>(
  entry: E,
  patch: TextPatch,
): E {
  const text = patch.text ?? entry.text;
  const blocks = patch.blocks ?? entry.blocks;
  const { more } = patch;
  if (more?.type === 'text') return { ...entry, text: text + more.text, blocks };
  return { ...entry, text, blocks: more ? [...blocks, more] : blocks };
}

function startCompaction({ compactionId, patch, at }: Of<'compactionStarted'>): CompactionEntry {
  const blank: CompactionEntry = { kind: 'compaction', compactionId, status: 'in_progress', text: '', blocks: [], at };
  return patchCompaction(blank, patch);
}

function patchCompaction(entry: CompactionEntry, patch: Of<'compactionChanged'>['patch']): CompactionEntry {
  const { status = entry.status, error } = patch;
  return { ...patchText(entry, patch), status, ...(error !== undefined && { error }) };
}

function startRelay({ messageId, patch, at }: Of<'relayStarted'>): SessionMessageEntry {
  return patchRelay({ kind: 'relay', messageId, text: '', blocks: [], at }, patch);
}

function patchRelay(entry: SessionMessageEntry, patch: Of<'relayChanged'>['patch']): SessionMessageEntry {
  const { from, to } = patch;
  return withFields(patchText(entry, patch), { from, to });
}

function startSubagent({ sessionId, patch, at }: Of<'subagentStarted'>, reduce: Reduce): SubagentEntry {
  const child: SessionState = { ...emptySession(sessionId), turn: { status: 'running', startedAt: at, firstEntry: 0 } };
  const blank: SubagentEntry = { kind: 'subagent', sessionId, canStop: false, child, at };
  return patchSubagent(blank, patch, at, reduce);
}

function patchSubagent(entry: SubagentEntry, patch: SubagentPatch, at: number, reduce: Reduce): SubagentEntry {
  const { canStop = entry.canStop, title, description, activity, stopReason } = patch;
  const patched = { ...withFields(entry, { title, description, activity, stopReason }), canStop };
  return activity === undefined || activity === null ? patched : { ...patched, child: follow(patched, at, reduce) };
}

/** The child's turn runs until the agent reports its end. */
function follow({ child, activity, stopReason }: SubagentEntry, at: number, reduce: Reduce): SessionState {
  const running = child.turn.status === 'running';
  if (activity === 'idle')
    return running ? reduce(child, { type: 'turnEnded', stopReason: stopReason ?? 'end_turn', at }) : child;
  if (running) return child;
  return { ...child, turn: { status: 'running', startedAt: at, firstEntry: child.entries.count } };
}

function act(entry: SubagentEntry, action: Action, reduce: Reduce): SubagentEntry {
  const child = reduce(entry.child, action);
  return child === entry.child ? entry : { ...entry, child };
}

/** null removes a field, undefined leaves it unchanged. */
function withFields<E extends object>(entry: E, fields: { readonly [K in keyof E]?: E[K] | null | undefined }): E {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(entry));
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = value;
  }
  return merged as E;
}
