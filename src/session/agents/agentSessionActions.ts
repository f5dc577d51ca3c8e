import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { AgentSession } from '../../shared/state/sessionState';
import { capabilitiesOf } from './sessionCapabilities';
import type { SessionCapabilities } from './sessionCapabilities';
import type { SharedAgent, AgentPool } from './agentPool';

/** A session as its agent knows it. */
interface AtAgent {
  readonly agent?: { readonly name: string };
  readonly agentSession?: AgentSession;
}

/** What running agents can do about their sessions, and asking them to. Starts none. */
export class AgentSessionActions {
  readonly #agents: AgentPool;
  readonly #log: Logger;

  constructor(agents: AgentPool, log: Logger) {
    this.#agents = agents;
    this.#log = log;
  }

  link(name: string | undefined): SharedAgent | undefined {
    return name === undefined ? undefined : this.#agents.current(name);
  }

  abilities(name: string | undefined): SessionCapabilities {
    return capabilitiesOf(this.link(name));
  }

  /** Asks the agent where it runs and offers it; undefined where it does not, or refuses. */
  async ask(
    { agent, agentSession }: AtAgent,
    ability: keyof SessionCapabilities,
    method: string,
    params: object,
  ): Promise<Record<string, unknown> | undefined> {
    const link = this.link(agent?.name);
    if (!link || !agentSession || !capabilitiesOf(link)[ability]) return undefined;
    try {
      const result = await link.connection.request(method, { sessionId: agentSession.id, ...params });
      return (result ?? {}) as Record<string, unknown>;
    } catch (error) {
      this.#log.warn('session', `${link.definition.title} refused ${method}: ${errorMessage(error)}`);
      return undefined;
    }
  }
}
