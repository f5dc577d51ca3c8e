import type { Location, ToolContent, ToolKind } from './contentBlocks';

/** `rejected` and `canceled` are Parley's own: ACP v1 does not define them (draft v2 does). */
export type ToolStatus = 'pending' | 'running' | 'done' | 'failed' | 'rejected' | 'canceled';

/** What a tool call shows of what it does. */
export interface ShownCall {
  readonly title: string;
  /** The tool's name, if the agent sends it besides the title. */
  readonly name?: string;
  readonly tool: ToolKind;
  readonly content: readonly ToolContent[];
  readonly locations: readonly Location[];
  readonly rawInput?: unknown;
}

/** A call of which only the title is certain. */
export interface PartialCall extends Partial<ShownCall> {
  readonly title: string;
}

export interface ToolEntry extends ShownCall {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly status: ToolStatus;
  /** Number of pending permission requests for this call. */
  readonly waiting: number;
  readonly rawOutput?: unknown;
  /** The call changed something or ran a command, although the agent neither asked nor used Parley. */
  readonly unasked?: boolean;
  /** The call had not ended when the agent's process or the window did. */
  readonly interrupted?: boolean;
  readonly at: number;
  readonly endedAt?: number;
}

export type PermissionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other';

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionKind;
}

export type PermissionOutcome =
  /** `by` is the user when absent; `reason` says why a rule applied ("allowed by your rule …"). */
  | { readonly type: 'selected'; readonly optionId: string; readonly by?: 'person' | 'rule'; readonly reason?: string }
  /** Canceled without a decision; `reason` is a short text ("turn stopped", "window reloaded"). */
  | { readonly type: 'canceled'; readonly reason: string };

export interface PermissionEntry {
  readonly kind: 'permission';
  readonly permissionId: string;
  /** Index of the tool call's entry. */
  readonly tool: number;
  readonly title: string;
  readonly options: readonly PermissionOption[];
  /** The request is Parley's own, not the agent's. */
  readonly isOwn?: boolean;
  /** Another program asks, not the agent. */
  readonly titleNamesCaller?: boolean;
  /** The whole raw input is visible, because the action is more than a plain command or the shown change. */
  readonly showsInput?: boolean;
  /** The action is a command, all of which the raw input says. */
  readonly isCommand?: boolean;
  /** While pending: the call at the time of the request, because the agent may change it meanwhile. */
  readonly about?: ToolEntry;
  /** Why the user is asked: the rule or protection that requires it. */
  readonly why?: string;
  /** Why the action cannot be undone, as a short text. */
  readonly destructive?: string;
  readonly at: number;
  /** Set from the start when a rule decided: such a request is never pending. */
  readonly outcome?: PermissionOutcome;
  /** Milliseconds since 1970; absent when a rule decided. */
  readonly answeredAt?: number;
  /** The stored part of an "always" answer. */
  readonly remembered?: RememberedDecision;
}

/** The scope of an "always" answer. */
export type RememberScope = 'session' | 'workspace' | 'everywhere';

export interface RememberedDecision {
  readonly scope: RememberScope;
  /** The rules created from the answer, in the user's syntax. */
  readonly rules: readonly string[];
  /** Why no rule was created; one sentence. */
  readonly note?: string;
  /** Created in an earlier window: the rule is removed in the rules list, and its scope is fixed. */
  readonly past?: boolean;
}

/**
 * The fields of a tool call that an update may change; omitted fields stay unchanged (ACP: tool calls, updates are
 * patches).
 */
export interface ToolPatch {
  readonly title?: string;
  readonly name?: string;
  readonly tool?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolContent[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

export type ToolCallAction =
  | { readonly type: 'toolStarted'; readonly toolCallId: string; readonly patch: ToolPatch; readonly at: number }
  | { readonly type: 'toolChanged'; readonly entry: number; readonly patch: ToolPatch; readonly at: number }
  /** The call's only content, a text, continues. */
  | { readonly type: 'toolOutputAppended'; readonly entry: number; readonly text: string }
  | {
      readonly type: 'permissionAsked';
      readonly permissionId: string;
      /** Index of the tool call's entry. */
      readonly tool: number;
      readonly title: string;
      readonly options: readonly PermissionOption[];
      readonly isOwn?: boolean;
      readonly titleNamesCaller?: boolean;
      readonly showsInput?: boolean;
      readonly isCommand?: boolean;
      readonly why?: string;
      readonly destructive?: string;
      /** The call when the agent asked, if it has changed since. */
      readonly about?: ToolEntry;
      /** Set when a rule has decided: the user is not asked. */
      readonly outcome?: PermissionOutcome;
      readonly at: number;
    }
  | {
      readonly type: 'permissionAnswered';
      readonly entry: number;
      readonly outcome: PermissionOutcome;
      readonly at: number;
    }
  /** Finished calls that are {@link ToolEntry.unasked}. */
  | { readonly type: 'toolsUnasked'; readonly entries: readonly number[] }
  /** A rule was created from an "always" answer, or its scope was changed. */
  | { readonly type: 'permissionRemembered'; readonly entry: number; readonly remembered: RememberedDecision };
