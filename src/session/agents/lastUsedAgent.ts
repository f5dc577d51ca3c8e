import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEMO_AGENT, defaultAgent, isNothingConfigured } from '../../agent/config/agentSettings';
import type { Memento } from '../../base/memento';
import type { PlainSettingsReader, SettingProblem } from '../../base/settings';

const KEY = 'parley.lastAgent';

type AgentChoice = Pick<PlainSettingsReader<'defaultAgent'>, 'get'> & {
  agents(): readonly AgentDefinition[];
  readonly problems: readonly SettingProblem[];
};

/** Remembers which agent answered last in this workspace, and selects the agent of a new chat. */
export class LastUsedAgent {
  constructor(
    private readonly memory: Memento,
    private readonly settings: AgentChoice,
  ) {}

  remember(name: string): void {
    // Where nothing is configured, the demo agent answers without having been selected.
    if (name === this.fallbackAgent()) return;
    if (this.memory.get(KEY) !== name) void this.memory.update(KEY, name);
  }

  /** The agent of a message that is sent without a selection; undefined where the user has to select one. */
  fallbackAgent(): string | undefined {
    const { problems } = this.settings;
    const isEmpty = isNothingConfigured(this.settings.agents(), this.settings.get('defaultAgent'), problems);
    return isEmpty ? DEMO_AGENT : undefined;
  }

  /** The name of the selected agent, else of the last used, else of the only configured one. */
  initialAgent(): string | undefined {
    const last = this.memory.get(KEY);
    const selected = this.settings.get('defaultAgent');
    return defaultAgent(this.settings.agents(), selected, typeof last === 'string' ? last : undefined)?.name;
  }
}
