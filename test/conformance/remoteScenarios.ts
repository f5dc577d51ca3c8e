/** How an agent on another machine is started. */
export const REMOTE_WAYS = ['http', 'ws'] as const;
export type RemoteWay = (typeof REMOTE_WAYS)[number];

/** Conversations whose content could be lost or changed on a transport other than a pipe. */
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
