import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import type { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { SettingProblem } from '../../base/settings';
import type { SessionHandle } from '../../session/sessionHandle';
import type { RegisteredServer } from './toolServerRegistry';
import type { AgentTransports } from './transportKind';

/** Loads with the first session or Tools panel; undefined when it cannot be loaded. */
export type LazyUserServers = Lazy<UserServers | undefined>;

/** The servers of the user's settings and files. `WindowUserServers` implements it. */
export interface UserServers {
  /** Availability must be evaluated again. */
  readonly onDidChange: Event<void>;
  /** Settings or files were read again. */
  readonly onDidReadSources: Event<void>;
  /** Prepares the servers of a session, waiting a few seconds at most. Never rejects. */
  prepare(session: SessionHandle, transports: AgentTransports): Promise<void>;
  /** The declaration of a server that the agent starts or reaches directly; undefined when it goes through Parley. */
  declaration(session: SessionHandle, registered: RegisteredServer): JsonObject | undefined;
  closeSession(sessionId: string): void;
  /** Lists the servers that no agent uses yet, while a Tools panel is open. */
  view(session: SessionHandle): Disposable;
  /** Lists the enabled servers of a session that no agent uses yet. Asks nothing, and never rejects. */
  list(session: SessionHandle): Promise<void>;
  /** Asks the user what the server needs before it can be started. Never rejects. */
  setUp(name: string): Promise<void>;
  /** State text for the panel: connecting, failed and the like. */
  stateOf(name: string): string | undefined;
  /** Names of servers whose tools are unknown: passed on directly, or not connected yet. */
  unknown(): readonly string[];
  /** Patterns of the tools that entries allow without asking; only offered as rules. */
  trustedTools(): Promise<readonly string[]>;
  /** Problems of the definitions. */
  problems(): readonly SettingProblem[];
  /** Repeats postponed prompts, retries failed servers, and lists connected servers again. */
  refresh(): Promise<void>;
}
