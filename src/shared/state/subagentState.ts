/** null removes a field, an omitted field stays unchanged. */
export interface SubagentPatch {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly canStop?: boolean;
  readonly activity?: string | null;
  readonly stopReason?: string;
}

/** Actions of the entry of a child session. Those inside the child are `subagentActed`. */
export type SubagentAction =
  | { readonly type: 'subagentStarted'; readonly sessionId: string; readonly patch: SubagentPatch; readonly at: number }
  | { readonly type: 'subagentChanged'; readonly entry: number; readonly patch: SubagentPatch; readonly at: number };

/** Work that continues outside of turns, as reported by the agent. Parley cannot stop it. */
export interface BackgroundTask {
  readonly taskId: string;
  readonly kind: 'command' | 'subagent' | 'task';
  /** One line. */
  readonly title: string;
}

export interface BackgroundTaskState {
  /** Tasks that run outside of turns, as reported by the agent. */
  readonly background: readonly BackgroundTask[];
}

export interface BackgroundTaskAction {
  readonly type: 'backgroundTasksChanged';
  /** The complete list. */
  readonly tasks: readonly BackgroundTask[];
}
