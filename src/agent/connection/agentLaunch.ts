import type { ParleyError } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { TerminationDeadlines } from '../../node/process/endProcess';
import type { AgentDefinition } from '../config/agentDefinition';
import type { SecretSource } from '../config/resolveSecrets';
import type { StartFolders } from '../process/startFolder';
import type { TrafficOptions } from '../traffic/trafficRecorder';
import type { ClientFeature, NotificationHandler } from './clientFeature';
import type { AgentInfo, ClientInfo } from './initialize';
import type { RequestOptions } from './rpcConnection';

export type AgentState =
  | { readonly status: 'stopped' }
  | { readonly status: 'starting' }
  | { readonly status: 'ready'; readonly info: AgentInfo }
  /** The connection to a remote agent is gone and is made again; `attempt` counts from 1. */
  | { readonly status: 'reconnecting'; readonly attempt: number }
  /** Could not be started, or the handshake failed. */
  | { readonly status: 'failed'; readonly error: ParleyError }
  /** Ended by itself; `stderr` is the tail of what it wrote there. */
  | { readonly status: 'exited'; readonly code?: number; readonly signal?: string; readonly stderr: string };

export interface ConnectionOptions {
  readonly definition: AgentDefinition;
  /** Absolute; where an agent starts that starts in the workspace and has no `cwd` of its own. */
  readonly cwd: string;
  /** Keeps the process out of the workspace where it has to be. Absent in tests of agents that start in `cwd`. */
  readonly startFolders?: StartFolders;
  readonly clientInfo: ClientInfo;
  readonly features: readonly ClientFeature[];
  readonly log: Logger;
  readonly deadlines?: Partial<LaunchDeadlines>;
  /** Asked before each start; the agent is not started when it rejects. */
  readonly allow?: (definition: AgentDefinition) => Promise<void>;
  /** For the definition's `${input:…}`. */
  readonly secrets?: SecretSource;
  /** Milliseconds before each try to reach a remote agent again. */
  readonly reconnectDelays?: readonly number[];
  /** What of the messages is kept, and what of them is not shown. */
  readonly traffic?: Omit<TrafficOptions, 'env'>;
  /** `session/update`, applied synchronously in wire order; `update` is the raw object (unknown kinds included). */
  onUpdate(sessionId: string, update: JsonObject): void;
}

/** In milliseconds. */
export interface LaunchDeadlines extends TerminationDeadlines {
  /** Without an answer to `initialize` for so long, the user is told that it takes long. */
  readonly slow: number;
  /** And after so long the start has failed. */
  readonly initialize: number;
  /** An agent that has closed its stdout but still runs is ended after so long. */
  readonly silentExit: number;
}

/** What an agent that is a process here and one that runs elsewhere have in common. */

export interface AgentLaunchEvents {
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
export function notificationHandlers(
  features: readonly ClientFeature[],
  events: Pick<AgentLaunchEvents, 'authStatus'>,
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
