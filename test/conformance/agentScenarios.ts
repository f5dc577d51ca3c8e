/** What every agent is driven through, by the whole extension. */
export const AGENT_SCENARIOS = [
  'text',
  'read',
  'write',
  'edit',
  'shell',
  'reject',
  'cancel',
  'always',
  'sessions',
  'tools',
  'turns',
] as const;
export type AgentScenario = (typeof AGENT_SCENARIOS)[number];

/** What an adapter without its agent must do: say so in words a person understands. */
export const INCOMPLETE = 'says what is missing';

/** What the example agent of the ACP SDK, which has no model, is driven through. */
export const EXAMPLE = 'is allowed, rejected and stopped';
