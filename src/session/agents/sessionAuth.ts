import type { SignInMethod } from '../../shared/state/sessionState';
import type { SharedAgent, AgentPool } from './agentPool';

export interface SessionAuthOptions {
  readonly agents: AgentPool;
  /** The session's agent; sets the default when there is none. */
  readonly agentName: () => string;
  /** Shows the error in the transcript. */
  readonly failed: (error: unknown) => void;
  readonly follow: (link: SharedAgent) => void;
  /** Continues what waited for the sign-in. */
  readonly goOn: (agentName: string) => Promise<void>;
}

/** Data to offer a sign-in. */
export interface AvailableSignIn {
  readonly agent: string;
  readonly methods: readonly SignInMethod[];
  /** The signed-in account, if known; only for the user. */
  readonly account?: string;
  readonly canSignOut: boolean;
}

/** Sign-in and sign-out of a session's agent. Its methods never reject. */
export class SessionAuth {
  readonly #options: SessionAuthOptions;

  constructor(options: SessionAuthOptions) {
    this.#options = options;
  }

  /** The available methods; starts the agent if needed. Undefined when it cannot be started (the transcript says why). */
  async offer(): Promise<AvailableSignIn | undefined> {
    const { agents, failed } = this.#options;
    try {
      const link = await this.#link();
      await link.connection.start();
      const { methods, account, canSignOut } = link.signIn;
      const agent = agents.reference(link.definition.name).title;
      return { agent, methods, canSignOut, ...(account !== undefined && { account }) };
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** Signs in, then opens the session or sends the refused prompt again. */
  async signIn(methodId: string): Promise<void> {
    const { agents, failed, goOn } = this.#options;
    try {
      const link = await this.#link();
      const { name } = link.definition;
      await link.connection.start();
      const outcome = await link.signIn.run(methodId);
      if (outcome === 'failed') return;
      if (outcome === 'reconnect') await agents.stop(name);
      await goOn(name);
    } catch (error) {
      failed(error);
    }
  }

  cancel(): void {
    const { agents, agentName } = this.#options;
    agents.current(agentName())?.signIn.cancel();
  }

  async signOut(): Promise<void> {
    try {
      const link = await this.#link();
      await link.connection.start();
      await link.signIn.signOut();
    } catch (error) {
      this.#options.failed(error);
    }
  }

  async #link(): Promise<SharedAgent> {
    const { agents, agentName, follow } = this.#options;
    await agents.ready();
    const link = agents.link(agentName());
    follow(link);
    return link;
  }
}
