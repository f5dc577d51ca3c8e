import type { AgentPool } from './agents/agentPool';
import type { AgentSessionBinding } from './agents/agentSessionBinding';
import type { SharedAgent } from './agents/sharedAgent';
import type { AvailableSignIn, SignIn } from './session';
import type { PromptSender } from './turn/promptSender';
import type { TurnRunner } from './turn/turnRunner';

export class SessionAuth implements SignIn {
  constructor(
    private readonly agents: AgentPool,
    private readonly binding: AgentSessionBinding,
    private readonly turn: TurnRunner,
    private readonly sender: PromptSender,
  ) {}

  async offer(): Promise<AvailableSignIn | undefined> {
    try {
      const link = await this.#link();
      await link.connection.start();
      const { methods, account, canSignOut } = link.signIn;
      const agent = this.agents.refOf(link.definition.name).title;
      return { agent, methods, canSignOut, ...(account !== undefined && { account }) };
    } catch (error) {
      this.turn.failures.show(error);
      return undefined;
    }
  }

  async signIn(methodId: string): Promise<void> {
    try {
      const link = await this.#link();
      const { name } = link.definition;
      await link.connection.start();
      const outcome = await link.signIn.run(methodId);
      if (outcome === 'failed') return;
      if (outcome === 'reconnect') await this.agents.stop(name);
      await (this.turn.wasRefused ? this.sender.retry() : this.turn.start(name));
    } catch (error) {
      this.turn.failures.show(error);
    }
  }

  cancel(): void {
    const name = this.binding.selectedAgent;
    if (name !== undefined) this.agents.get(name)?.signIn.cancel();
  }

  async signOut(): Promise<void> {
    try {
      const link = await this.#link();
      await link.connection.start();
      await link.signIn.signOut();
    } catch (error) {
      this.turn.failures.show(error);
    }
  }

  async #link(): Promise<SharedAgent> {
    await this.agents.ready();
    const link = this.agents.acquire(this.binding.agentName());
    this.binding.watch(link);
    return link;
  }
}
