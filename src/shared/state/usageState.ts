export interface Usage {
  readonly used: number;
  readonly size: number;
  /** Of the session so far. */
  readonly cost?: Cost;
}

export interface Cost {
  readonly amount: number;
  readonly currency: string;
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

/** A limit of the agent's account, such as a subscription window. */
export interface UsageLimit {
  /** The agent's name of the limit. */
  readonly id: string;
  /** Length of the window. */
  readonly minutes?: number;
  /** The used share; 1 is all of it. */
  readonly used?: number;
  /** Milliseconds since 1970. */
  readonly resetsAt?: number;
  /** The agent accepts no prompts until the reset. */
  readonly isReached?: true;
}

/** An agent may name any number of limits. */
const MAX_LIMITS = 8;

/** The limits after a report. A report may name only some of the limits. */
export function mergeLimits(before: readonly UsageLimit[] = [], limits: readonly UsageLimit[]): readonly UsageLimit[] {
  const others = before.filter(({ id }) => !limits.some((limit) => limit.id === id));
  return [...others, ...limits].slice(-MAX_LIMITS);
}

/** The usage after an update; an omitted cost stays unchanged. */
export function mergeUsage(before: Usage | undefined, usage: Usage): Usage {
  return before?.cost && !usage.cost ? { ...usage, cost: before.cost } : usage;
}
