import type { AgentState } from '../agent/connection';
import { CanceledError, ParleyError } from '../base/errors';
import { asString, isObject } from '../base/json';
import { MutableDisposable } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { AgentLink, Agents, LinkedSession } from './agents';

/** A session of ours on a running agent. */
export interface Bound {
  readonly link: AgentLink;
  readonly agentSessionId: string;
}

/** Keeps one session on its agent: starts the process, opens the agent's session, and tells of the process's state. */
export class Binding implements Disposable {
  readonly #agents: Agents;
  readonly #session: LinkedSession;
  readonly #cwd: string;
  readonly #onState: (state: AgentState, link: AgentLink) => void;
  readonly #subscription = new MutableDisposable<Disposable>();
  #link: AgentLink | undefined;
  #bound: Bound | undefined;
  #binding: Promise<Bound> | undefined;

  constructor(
    agents: Agents,
    session: LinkedSession,
    cwd: string,
    onState: (state: AgentState, link: AgentLink) => void,
  ) {
    this.#agents = agents;
    this.#session = session;
    this.#cwd = cwd;
    this.#onState = onState;
  }

  /** The agent's session, once there is one and while its process lives. */
  get current(): Bound | undefined {
    return this.#bound?.link.isAlive ? this.#bound : undefined;
  }

  /**
   * The agent's session; starts process and session when there is none. Calls at the same time share one start.
   * @throws ParleyError or RpcError when the agent cannot be started or refuses a session
   */
  bind(name: string): Promise<Bound> {
    const current = this.current;
    if (current?.link.definition.name === name) return Promise.resolve(current);
    if (this.#binding && this.#link?.definition.name === name && this.#link.isAlive) return this.#binding;
    this.release();
    const binding = this.#bind(name);
    this.#binding = binding;
    const forget = (): void => {
      if (this.#binding === binding) this.#binding = undefined;
    };
    binding.then(forget, forget);
    return binding;
  }

  /** Lets go of the agent's session; the process stays for the others. */
  release(): void {
    this.#subscription.value = undefined;
    if (this.#bound) this.#bound.link.detach(this.#bound.agentSessionId);
    this.#bound = undefined;
    this.#link = undefined;
  }

  dispose(): void {
    this.release();
    this.#subscription.dispose();
  }

  async #bind(name: string): Promise<Bound> {
    const link = this.#agents.link(name);
    this.#link = link;
    this.#subscription.value = link.connection.onDidChangeState((state) => this.#onState(state, link));
    if (link.isAlive) this.#onState(link.connection.state, link);
    await link.connection.start();
    let bound: Bound | undefined;
    await link.connection.request(
      'session/new',
      { cwd: this.#cwd, mcpServers: [] },
      {
        // In wire order: an update that follows the answer finds its session (I3).
        onSettled: (outcome) => {
          const agentSessionId =
            'result' in outcome && isObject(outcome.result) && asString(outcome.result['sessionId']);
          if (!agentSessionId || this.#link !== link) return;
          bound = { link, agentSessionId };
          this.#bound = bound;
          link.attach(agentSessionId, this.#session);
        },
      },
    );
    if (bound) return bound;
    if (this.#link !== link) throw new CanceledError('Another agent was chosen');
    throw new ParleyError('agentProtocol', `${link.definition.title} opened a session without telling its id.`, {
      nextStep: 'Update the agent, or report this to its authors.',
    });
  }
}
