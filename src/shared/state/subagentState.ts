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
