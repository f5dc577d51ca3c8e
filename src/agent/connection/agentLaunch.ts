import type { AgentState } from './agentConnection';
import type { ClientFeature, NotificationHandler } from './clientFeature';
import type { AgentInfo } from './initialize';
import type { RequestOptions } from './rpcConnection';

/** What an agent that is a process here and one that runs elsewhere have in common. */

export interface RunningAgentEvents {
  slow(hint: string): void;
  /** The agent told who is signed in. Its content is not for the log. */
  authStatus(params: unknown): void;
  /** The connection is gone and is made again; `attempt` counts from 1. Only for agents that run elsewhere. */
  lost(attempt: number): void;
  /** It stands again. */
  back(info: AgentInfo): void;
  /** Ended by itself. Fired once everything that it had sent took effect. */
  ended(state: AgentState): void;
}

/** Listeners of the features, and our own for the two names under which agents tell who is signed in. */
export function notificationsOf(
  features: readonly ClientFeature[],
  events: Pick<RunningAgentEvents, 'authStatus'>,
): NotificationHandler[] {
  const own = ['auth/status_update', '_auth/status_update'].map((method) => ({
    method,
    handle: (params: unknown) => events.authStatus(params),
  }));
  return [...features.flatMap((feature) => feature.notifications ?? []), ...own];
}

/** An agent under way, here or elsewhere. */
export interface Running {
  start(): Promise<AgentInfo>;
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
  stop(): Promise<void>;
}
