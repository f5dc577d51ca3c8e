import { entriesFrom, entryAt } from '../shared/state/entryPages';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';
import type { ToolEntry } from '../shared/state/toolCallState';

/** Entries that later updates name, by kind and the agent's id. */
type EntryKind = 'compaction' | 'relay' | 'subagent';

interface ToolCallMarks {
  readonly entry: number;
  /** The agent has asked for permission. */
  readonly isAsked: boolean;
  readonly isAnnounced: boolean;
}

/**
 * Entry indices of things that later updates name by id (tool calls, compactions, messages between sessions, child sessions). Built from
 * actions, so a replay rebuilds it. A child session has its own index.
 */
export class EntryIndex {
  readonly #entries = new Map<string, number>();
  /** Entries of tool calls by id, in order: agents use an id again. */
  readonly #tools = new Map<string, number[]>();
  readonly #asked = new Set<number>();
  readonly #announced = new Set<number>();
  readonly #children = new Map<string, { readonly entry: number; readonly index: EntryIndex }>();
  #turnStart = 0;

  /** @param before the state before the action */
  apply(action: Action, before: SessionState): void {
    const { count } = before.entries;
    if (action.type === 'promptSent') this.#turnStart = count;
    else if (action.type === 'toolStarted')
      this.#tools.set(action.toolCallId, [...(this.#tools.get(action.toolCallId) ?? []), count]);
    else if (action.type === 'permissionAsked' && !action.isOwn) this.#asked.add(action.tool);
    else if (action.type === 'compactionStarted') this.#entries.set(`compaction ${action.compactionId}`, count);
    else if (action.type === 'relayStarted') this.#entries.set(`relay ${action.messageId}`, count);
    else if (action.type === 'subagentStarted') {
      this.#entries.set(`subagent ${action.sessionId}`, count);
      this.#children.set(action.sessionId, { entry: count, index: new EntryIndex() });
    } else if (action.type === 'subagentActed') {
      const entry = entryAt(before.entries, action.entry);
      if (entry?.kind === 'subagent') this.#children.get(entry.sessionId)?.index.apply(action.action, entry.child);
    }
  }

  /** All calls with this id, oldest first, and the first entry of the turn. `isAnnounced` is known for calls of this window only. */
  toolCalls(toolCallId: string): { readonly entries: readonly ToolCallMarks[]; readonly turnStart: number } {
    const entries = this.#tools.get(toolCallId) ?? [];
    return {
      entries: entries.map((entry) => ({
        entry,
        isAsked: this.#asked.has(entry),
        isAnnounced: this.#announced.has(entry),
      })),
      turnStart: this.#turnStart,
    };
  }

  /** Records that a `tool_call`, and not only an update or a question, has named the call. */
  markAnnounced(entry: number): void {
    this.#announced.add(entry);
  }

  /** Records that the agent has asked about a call of a child session: the request is in the top-level session. */
  markAsked(entry: number): void {
    this.#asked.add(entry);
  }

  entryOf(kind: EntryKind, id: string): number | undefined {
    return this.#entries.get(`${kind} ${id}`);
  }

  /** The path of entries to a child session at any depth, and its index. */
  subagentPath(childId: string): { readonly path: readonly number[]; readonly index: EntryIndex } | undefined {
    const own = this.#children.get(childId);
    if (own) return { path: [own.entry], index: own.index };
    for (const { entry, index } of this.#children.values()) {
      const deeper = index.subagentPath(childId);
      if (deeper) return { path: [entry, ...deeper.path], index: deeper.index };
    }
    return undefined;
  }
}

/** The id of the copy of a child session's call in the top-level session. */
export function childCallId(childId: string, toolCallId: string): string {
  return `${CHILD_CALL}${JSON.stringify([childId, toolCallId])}`;
}

export function isChildCall({ toolCallId }: ToolEntry): boolean {
  return toolCallId.startsWith(CHILD_CALL);
}

/** As other calls that Parley creates. */
const CHILD_CALL = 'parley-child ';

/** Terminals belong to the window, whichever session of the agent runs them. */
const SHARED: ReadonlySet<Action['type']> = new Set(['terminalCreated', 'terminalOutput', 'terminalExited']);

/**
 * Wraps an action of a child session for the top-level session.
 * @param path the entries on the way to the child
 */
export function wrapForSubagent(action: Action, path: readonly number[]): Action {
  if (SHARED.has(action.type)) return action;
  return path.reduceRight<Action>((inner, entry) => ({ type: 'subagentActed', entry, action: inner }), action);
}

/** The state of the child session at `path`. */
export function stateOf(state: SessionState, path: readonly number[]): SessionState {
  return path.reduce((at, index) => {
    const entry = entryAt(at.entries, index);
    return entry?.kind === 'subagent' ? entry.child : at;
  }, state);
}

/** Whether a child session at any depth runs and the agent supports canceling it. */
export function canStopSubagent(state: SessionState, childId: string): boolean {
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind !== 'subagent') continue;
    if (entry.sessionId === childId) return entry.canStop && entry.child.turn.status === 'running';
    if (canStopSubagent(entry.child, childId)) return true;
  }
  return false;
}
