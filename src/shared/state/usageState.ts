export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** The token usage in the answer to a prompt. */
export interface TokenUsage {
  readonly total: number;
  readonly input: number;
  readonly output: number;
  readonly cachedRead?: number;
  readonly cachedWrite?: number;
  readonly thought?: number;
}

/** The usage after an update; an omitted cost stays unchanged. */
export function mergeUsage(before: Usage | undefined, usage: Usage): Usage {
  return before?.cost && !usage.cost ? { ...usage, cost: before.cost } : usage;
}
