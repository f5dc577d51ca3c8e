import type { Block } from './contentBlocks';
import type { SavedOptions, ConfigOption } from './configOptionState';

/** State and actions besides messages and tool calls: options, plans by id, compaction, child sessions. */

export interface PlanItem {
  readonly content: string;
  readonly priority: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** A plan with an id; a session may have several. */
export type NamedPlan =
  | { readonly planId: string; readonly kind: 'items'; readonly items: readonly PlanItem[] }
  | { readonly planId: string; readonly kind: 'file'; readonly uri: string }
  | { readonly planId: string; readonly kind: 'markdown'; readonly text: string };

/** The token usage in the answer to a prompt. */
export interface TokenUsage {
  readonly total: number;
  readonly input: number;
  readonly output: number;
  readonly cachedRead?: number;
  readonly cachedWrite?: number;
  readonly thought?: number;
}

/** The agent compacts its context; the summary is what it retains. */
export interface CompactionEntry {
  readonly kind: 'compaction';
  readonly compactionId: string;
  /** `in_progress`, `completed`, `failed`, `cancelled` or any value of the agent. */
  readonly status: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly error?: string;
  readonly at: number;
}

/** A message from one session to another. */
export interface SessionMessageEntry {
  readonly kind: 'relay';
  readonly messageId: string;
  /** The names of both sessions, where known. */
  readonly from?: string;
  readonly to?: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly at: number;
}

/** Text that an update replaces (`text`, `blocks`) or extends (`more`). */
export interface TextPatch {
  readonly text?: string;
  readonly blocks?: readonly Block[];
  readonly more?: Block;
}

export interface CompactionPatch extends TextPatch {
  readonly status?: string;
  readonly error?: string;
}

export interface SessionMessagePatch extends TextPatch {
  readonly from?: string | null;
  readonly to?: string | null;
}

/** null removes a field, an omitted field stays unchanged. */
export interface SubagentPatch {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly canStop?: boolean;
  readonly activity?: string | null;
  readonly stopReason?: string;
}

export type UpdateAction =
  | { readonly type: 'selectorsChanged'; readonly selectors: readonly ConfigOption[] }
  /** The user selected a value; the agent has not answered yet. */
  | { readonly type: 'selectorChosen'; readonly id: string; readonly value: string | boolean }
  /** The agent answered: its value applies again. `value` is set when it accepted without returning all options. */
  | { readonly type: 'choiceSettled'; readonly id: string; readonly value?: string | boolean }
  /** All selections to send again when the session is restored without them. */
  | { readonly type: 'choicesKept'; readonly choices: SavedOptions }
  | { readonly type: 'planUpdated'; readonly plan: NamedPlan }
  | { readonly type: 'planRemoved'; readonly planId: string }
  | {
      readonly type: 'compactionStarted';
      readonly compactionId: string;
      readonly patch: CompactionPatch;
      readonly at: number;
    }
  | { readonly type: 'compactionChanged'; readonly entry: number; readonly patch: CompactionPatch }
  | {
      readonly type: 'relayStarted';
      readonly messageId: string;
      readonly patch: SessionMessagePatch;
      readonly at: number;
    }
  | { readonly type: 'relayChanged'; readonly entry: number; readonly patch: SessionMessagePatch }
  | { readonly type: 'subagentStarted'; readonly sessionId: string; readonly patch: SubagentPatch; readonly at: number }
  | { readonly type: 'subagentChanged'; readonly entry: number; readonly patch: SubagentPatch; readonly at: number };
