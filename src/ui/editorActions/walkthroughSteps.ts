import { entryAt } from '../../shared/state/entryPages';
import type { Entry, SessionState } from '../../shared/state/sessionState';

/** By the context keys `parley.done.<step>`. Pure. */
export const STEPS = ['agent', 'ask', 'approve', 'review', 'race', 'tools'] as const;

export type Step = (typeof STEPS)[number];

/**
 * The steps that a session has completed.
 * @param before state at the previous check
 */
export function completedSteps(
  before: SessionState | undefined,
  { agent, entries, waiting, changes, branch }: SessionState,
): readonly Step[] {
  const steps: Step[] = [];
  if (agent) steps.push('agent');
  if (entries.count > 0) steps.push('ask');
  const answered = (before?.waiting ?? []).filter((entry) => !waiting.includes(entry));
  if (answered.some((entry) => isAnswered(entryAt(entries, entry)))) steps.push('approve');
  if (before && changes.length < before.changes.length) steps.push('review');
  if (branch !== undefined) steps.push('race');
  return steps;
}

function isAnswered(entry: Entry | undefined): boolean {
  return entry?.kind === 'permission' && entry.outcome?.type === 'selected' && entry.outcome.by !== 'rule';
}
