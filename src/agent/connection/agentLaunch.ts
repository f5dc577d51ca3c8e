import type { ParleyError } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redactor';
import type { ClientFeature, NotificationHandler } from '../clientFeature';
import type { AgentDefinition } from '../config/agentDefinition';
import type { SecretSource } from '../config/resolveSecrets';
import type { StartFolders } from '../process/startFolder';
import type { AgentInfo, ClientInfo, LaunchDeadlines } from './initialize';
import type { RequestOutcome } from './pendingRequest';

export type AgentState =
  | { readonly status: 'stopped' }
  | { readonly status: 'starting' }
  | { readonly status: 'ready'; readonly info: AgentInfo }
  /** The connection to a remote agent is lost and is being restored; `attempt` counts from 1. */
  | { readonly status: 'reconnecting'; readonly attempt: number }
  /** The agent could not be started, or the handshake failed. */
  | { readonly status: 'failed'; readonly error: ParleyError }
  /** The agent ended by itself; `stderr` is the end of its stderr output. */
  | { readonly status: 'exited'; readonly code?: number; readonly signal?: string; readonly stderr: string };

/** What starts agents, the same for all of a window. */
export interface AgentEnvironment {
  readonly clientInfo: ClientInfo;
  readonly log: Logger;
  /** Keeps the process out of the workspace where required. Absent in tests of agents that start in `cwd`. */
  readonly startFolders?: StartFolders;
  readonly deadlines?: Partial<LaunchDeadlines>;
  /** Called before each start; the agent is not started when the promise rejects. */
  readonly allow?: (definition: AgentDefinition) => Promise<void>;
  /** Resolves the definition's `${input:…}`. */
  readonly secrets?: SecretSource;
  /** Milliseconds before each attempt to reconnect to a remote agent. */
  readonly reconnectDelays?: readonly number[];
  /** See {@link TrafficRecorder}. */
  readonly redactor?: Redactor;
  /** See {@link TrafficRecorder}. */
  readonly isRecording?: () => boolean;
}

export interface ConnectionOptions extends AgentEnvironment {
  readonly definition: AgentDefinition;
  /** Absolute; the start folder of an agent without its own `cwd`. */
  readonly cwd: string;
  readonly features: readonly ClientFeature[];
  /** `session/update`, applied synchronously in wire order; `update` is the raw object (unknown kinds included). */
  readonly onUpdate: (sessionId: string, update: JsonObject) => void;
}

/** The common interface of local agents (processes) and remote agents. */

export interface AgentLaunchEvents {
  readonly onSlow: (hint: string) => void;
  /** The agent reported who is signed in. The params must not be logged. */
  readonly onAuthStatus: (params: unknown) => void;
  /** The connection is lost and is being restored; `attempt` counts from 1. Only for remote agents. */
  readonly onDidLoseConnection: (attempt: number) => void;
  /** The connection is restored. */
  readonly onDidReconnect: (info: AgentInfo) => void;
  /** The agent ended by itself. Called once all its messages have taken effect. */
  readonly onDidEnd: (state: AgentState) => void;
}

/** Handlers of the features, and our own for the two names under which agents report who is signed in. */
export function notificationHandlers(
  features: readonly ClientFeature[],
  events: AgentLaunchEvents,
): NotificationHandler[] {
  const own = ['auth/status_update', '_auth/status_update'].map((method) => ({
    method,
    handle: events.onAuthStatus,
  }));
  return [...features.flatMap((feature) => feature.notifications ?? []), ...own];
}

export interface RequestOptions {
  /** Called synchronously in wire order, before any later message takes effect (I3). */
  onSettled?(outcome: RequestOutcome): void;
  /** Stops waiting (with {@link CanceledError}) and sends `$/cancel_request` to the agent. */
  readonly signal?: AbortSignal;
}

/** A running agent, local or remote. */
export interface RunningAgent {
  start(): Promise<AgentInfo>;
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
  stop(): Promise<void>;
}
