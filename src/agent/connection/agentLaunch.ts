import type { EndDeadlines } from '../../node/process/endProcess';
import type { AgentState } from './agentConnection';
import type { ClientFeature, NotificationHandler } from './clientFeature';
import type { AgentInfo } from './initialize';
import type { RequestOptions } from './rpcConnection';

/** In milliseconds. */
export interface LaunchDeadlines extends EndDeadlines {
  /** Without an answer to `initialize` for so long, the person is told that it takes long. */
  readonly slow: number;
  /** And after so long the start has failed. */
  readonly initialize: number;
  /** An agent that has closed its stdout but still runs is ended after so long. */
  readonly silentExit: number;
}

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
