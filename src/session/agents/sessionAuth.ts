import type { SignInMethod } from '../../shared/state/sessionState';
import type { SharedAgent, AgentPool } from './agentPool';

export interface SessionAuthOptions {
  readonly agents: AgentPool;
  /** The session's agent; gives it one when it has none. */
  readonly agentName: () => string;
  /** Shows in the transcript what went wrong. */
  readonly failed: (error: unknown) => void;
  /** Shows the connection of this agent in the session. */
  readonly follow: (link: SharedAgent) => void;
  /** Takes up what had to wait for the sign-in. */
  readonly goOn: (agentName: string) => Promise<void>;
}

/** What the commands and the page need to know to offer a sign-in. */
export interface AvailableSignIn {
  readonly agent: string;
  readonly methods: readonly SignInMethod[];
  /** The account that is signed in, where the agent tells. For the user's eyes only. */
  readonly account?: string;
  readonly canSignOut: boolean;
}

/** Signing in to a session's agent, and out of it. Its methods never reject. */
export class SessionAuth {
  readonly #options: SessionAuthOptions;

  constructor(options: SessionAuthOptions) {
    this.#options = options;
  }

  /** What the agent offers; starts it when it does not run. Undefined when it cannot be started (the transcript says why). */
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

  /** Signs in, then goes on with what had to wait: the session is opened, or the refused prompt is sent again. */
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

  /** Gives up a sign-in that is under way. */
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
