import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { errorMessage, isCancellation } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { Connection } from '../../shared/state/sessionState';
import type { SessionModel } from '../sessionModel';
import type { AgentPool } from './agentPool';
import type { AgentSessionBinding } from './agentSessionBinding';

/** States in which the user has to act first: typing does not start a failed agent again. */
const BROKEN: ReadonlySet<Connection['status']> = new Set(['failed', 'exited', 'signIn']);

/**
 * Opens or resumes the agent's session when the user begins a message, so that its modes, models and commands are there and the answer
 * comes sooner. Closes a new session when no message follows.
 */
export class WarmStart {
  /** The agent that refused a session; the next message shows why. */
  #refusedAgent: AgentDefinition | undefined;

  constructor(
    private readonly model: SessionModel,
    private readonly binding: AgentSessionBinding,
    private readonly agents: AgentPool,
    private readonly log: Logger,
  ) {}

  /** The agent's session is open and waits for the first message. */
  get isWaiting(): boolean {
    return this.#isUnused && this.binding.current !== undefined;
  }

  /** Starts the session's agent if that needs no question to the user. A failure shows in the connection. Never rejects. */
  async start(): Promise<void> {
    const name = this.#startable();
    if (name === undefined || !(await this.agents.startsWithoutAsking(name)) || this.#startable() !== name) return;
    // Its session belongs to the process of the earlier definition.
    if (this.agents.isOutdated(name)) this.release();
    try {
      if (this.model.state.entries.count === 0) await this.binding.ensureBound(name);
      else await this.binding.resume(name);
    } catch (error) {
      if (isCancellation(error)) return;
      this.#refusedAgent = this.agents.definition(name);
      this.log.info('session', `Failed to open a session of ${name} in advance: ${errorMessage(error)}`);
    }
  }

  /** Closes the agent's session if no message was sent, at the agent too. A later {@link start} opens another. */
  release(): void {
    if (!this.#isUnused || !this.binding.isBound) return;
    this.binding.release({ shouldClose: true });
    this.model.dispatch({ type: 'agentSessionClosed' });
    this.model.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  /** The agent to start; undefined where nothing is to be started. */
  #startable(): string | undefined {
    const { agent, connection, entries } = this.model.state;
    const canStart = entries.count > 0 ? this.#isResumable : this.#isUnused;
    if (!canStart || !agent) return undefined;
    const { name } = agent;
    // The user has acted: the definition is another one.
    if (this.agents.isOutdated(name)) return name;
    if (BROKEN.has(connection.status)) return undefined;
    return this.#refusedAgent && isDeepStrictEqual(this.#refusedAgent, this.agents.definition(name)) ? undefined : name;
  }

  get #isResumable(): boolean {
    const { agentSession, imported, turn } = this.model.state;
    return agentSession !== undefined && !imported && turn.status === 'idle' && !this.binding.current;
  }

  get #isUnused(): boolean {
    const { current } = this.binding;
    const { agentSession, imported } = this.model.state;
    if (this.model.hasTranscript || imported) return false;
    // Without a binding, a known session is about to be loaded.
    return current ? current.isFresh : agentSession === undefined;
  }
}
