/** How an agent is reached that runs elsewhere. */
export const REMOTE_WAYS = ['http', 'ws'] as const;
export type RemoteWay = (typeof REMOTE_WAYS)[number];

/** Conversations that have in them what could get lost or changed on another way than a pipe. */
export const REMOTE_SCENARIOS = [
  'talk',
  'bare',
  'permission',
  'cancel',
  'cancelRequest',
  'requests',
  'tools',
  'sessions',
  'config',
  'elicitation',
  'toolsAcp',
] as const;
