import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { Emitter, Event } from '../../base/event';
import type { AgentRef } from '../../shared/state/sessionState';
import type { SharedAgent } from './sharedAgent';

/** The agents of this window: one process per agent, shared by its sessions. `SharedAgents` implements it. */
export interface AgentPool {
  /** {@link acquire} may be called. */
  readonly isReady: boolean;
  /** False in an untrusted workspace, whose agents are not configured. */
  readonly isTrusted: boolean;
  readonly onDidChangeState: Event<SharedAgent>;
  /** Fires before a prompt is assigned to an agent's process. */
  readonly willPrompt: Emitter<void>;

  /** Settles when {@link acquire} may be called. Rejects when loading fails; the next call tries again. */
  ready(): Promise<void>;
  /** Of the configured agents. */
  names(): readonly string[];
  /** A configured agent. */
  definition(name: string): AgentDefinition | undefined;
  refOf(name: string): AgentRef;
  refOf(name: string | undefined): AgentRef | undefined;
  /** False for an agent that is not configured, or that needs a confirmation or a secret first. */
  startsWithoutAsking(name: string): Promise<boolean>;
  /**
   * Whether the settings define the agent differently than its process was started, and ending this process loses nothing: the next
   * {@link acquire} starts another one.
   */
  isOutdated(name: string): boolean;
  /**
   * The link of an agent, created if needed once {@link ready}; `connection.start()` starts the process. An agent whose definition was
   * changed is started again where nothing is lost.
   * @throws ParleyError `agentNotFound` when no such agent is configured
   * @throws CanceledError when the window is closing
   */
  acquire(name: string): SharedAgent;
  /** The link of an agent that was started in this window, running or not. */
  get(name: string): SharedAgent | undefined;
  all(): readonly SharedAgent[];
  /** Ends the agent's process, if any, and waits; the next {@link acquire} starts a new one. */
  stop(name: string): Promise<void>;
}
