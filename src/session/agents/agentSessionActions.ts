import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { AgentRef, AgentSession } from '../../shared/state/sessionState';
import type { AgentPool } from './agentPool';
import { capabilitiesOf } from './sessionCapabilities';
import type { SessionCapabilities } from './sessionCapabilities';
import type { SharedAgent } from './sharedAgent';

interface ListedItem {
  readonly id: string;
  readonly agent?: AgentRef | undefined;
  readonly agentSession?: AgentSession | undefined;
}

type AgentSide = Partial<Pick<ListedItem, 'agent' | 'agentSession'>>;

/**
 * The agent's session of an item. None if one of ours has it too: an agent may number its sessions from the start in each process, and
 * requests would then be about the other one.
 */
export function agentSideOf(item: ListedItem, ours: readonly ListedItem[]): AgentSide {
  const { id, agent, agentSession } = item;
  if (!agent || !agentSession) return {};
  const isShared = ours.some(
    (other) => other.id !== id && other.agent?.name === agent.name && other.agentSession?.id === agentSession.id,
  );
  return isShared ? {} : { agent, agentSession };
}

/** Requests to running agents about their sessions. Starts no agent. */
export class AgentSessionActions {
  constructor(
    private readonly agents: AgentPool,
    private readonly log: Logger,
  ) {}

  link(name: string | undefined): SharedAgent | undefined {
    return name === undefined ? undefined : this.agents.get(name);
  }

  capabilities(name: string | undefined): SessionCapabilities {
    return capabilitiesOf(this.link(name));
  }

  /** @returns the title that the agent has set; undefined if it does not run, support or say so */
  async rename(session: AgentSide, title: string): Promise<unknown> {
    return (await this.#request(session, 'title', 'session/set_title', { title }))?.['title'];
  }

  async setArchived(session: AgentSide, isArchived: boolean): Promise<void> {
    await this.#request(session, 'archive', isArchived ? 'session/archive' : 'session/unarchive');
  }

  /** False if the agent keeps the session. */
  async delete(session: AgentSide): Promise<boolean> {
    return (await this.#request(session, 'delete', 'session/delete')) !== undefined;
  }

  /** ACP: `session/status`; an unknown value counts as "saved". Undefined if the agent does not run, support or say so. */
  async status(session: AgentSide): Promise<'open' | 'saved' | undefined> {
    const result = await this.#request(session, 'status', 'session/status');
    if (!result) return undefined;
    return result['status'] === 'open' ? 'open' : 'saved';
  }

  /** Sends the request if the agent runs and supports it; undefined if not, or if it refuses. */
  async #request(
    { agent, agentSession }: AgentSide,
    capability: keyof SessionCapabilities,
    method: string,
    params: object = {},
  ): Promise<Record<string, unknown> | undefined> {
    const link = this.link(agent?.name);
    if (!link || !agentSession || !capabilitiesOf(link)[capability]) return undefined;
    try {
      const result = await link.connection.request(method, { sessionId: agentSession.id, ...params });
      return (result ?? {}) as Record<string, unknown>;
    } catch (error) {
      this.log.warn('session', `${link.definition.title} refused ${method}: ${errorMessage(error)}`);
      return undefined;
    }
  }
}
