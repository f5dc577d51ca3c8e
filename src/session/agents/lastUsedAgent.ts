import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { defaultAgent } from '../../agent/config/agentSettings';
import type { PlainSettingsReader } from '../../base/settings';
import type { Memento } from '../../base/memento';

const KEY = 'parley.lastAgent';

type AgentChoice = Pick<PlainSettingsReader<'defaultAgent'>, 'get'> & { agents(): readonly AgentDefinition[] };

/** Remembers which agent answered last in this workspace, and selects the agent of a new chat. */
export class LastUsedAgent {
  readonly #memory: Memento;
  readonly #settings: AgentChoice;

  constructor(memory: Memento, settings: AgentChoice) {
    this.#memory = memory;
    this.#settings = settings;
  }

  remember(name: string): void {
    if (this.#memory.get(KEY) !== name) void this.#memory.update(KEY, name);
  }

  /** The name of the selected agent, else of the last used, else of the only configured one. */
  initialAgent(): string | undefined {
    const last = this.#memory.get(KEY);
    const selected = this.#settings.get('defaultAgent');
    return defaultAgent(this.#settings.agents(), selected, typeof last === 'string' ? last : undefined)?.name;
  }
}
