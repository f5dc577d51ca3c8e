/** Scenarios for every agent, through the complete extension. */
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

/** Expected of an adapter without its agent: an understandable error. */
export const INCOMPLETE = 'says what is missing';

/** Scenarios for the example agent of the ACP SDK, which has no model. */
export const EXAMPLE = 'is allowed, rejected and stopped';
