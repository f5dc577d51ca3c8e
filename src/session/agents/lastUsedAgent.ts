import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { defaultAgent } from '../../agent/config/agentSettings';
import type { Memento } from '../../base/memento';

const KEY = 'parley.lastAgent';

/** Remembers which agent answered last in this workspace, and selects the agent of a new chat. */
export class LastUsedAgent {
  readonly #memory: Memento;

  constructor(memory: Memento) {
    this.#memory = memory;
  }

  remember(name: string): void {
    if (this.#memory.get(KEY) !== name) void this.#memory.update(KEY, name);
  }

  /** The name of the selected agent, else of the last used, else of the only configured one. */
  initial(agents: readonly AgentDefinition[], selected: string): string | undefined {
    const last = this.#memory.get(KEY);
    return defaultAgent(agents, selected, typeof last === 'string' ? last : undefined)?.name;
  }
}
