import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEFAULT_TOOL_SERVERS } from '../../agent/config/agentToolSettings';
import type { Event } from '../../base/event';
import type { SettingScopes } from '../../base/settingScopes';
import type { SettingProblem } from '../../base/settings';
import type { ScopedSettings } from '../../session/settings/scopedSettings';
import type { ToolRules } from './toolFilter';
import type { AvailabilitySettings } from './availabilityRules';
import { isEnabledBySettings, availabilityRules } from './availabilityRules';
import type { AgentContext } from '../calls/toolCallGate';
import { settingLists } from './settingLists';
import type { ToolEnablement } from './toolEnablement';
import type { RegisteredServer, ToolServers } from '../toolServerRegistry';
import { ruleProblems } from './settingWarnings';

/** The settings that this room reads; `Configuration` has them. */
export interface McpSettings {
  scoped<K extends 'tools.servers' | 'tools.allow' | 'tools.deny' | 'tools.ide'>(
    key: K,
  ): SettingScopes<ScopedSettings[K]>;
  agents(): readonly AgentDefinition[];
  /** Settings, folders or the trust have changed. */
  readonly onDidChange: Event<void>;
  /** Tells the person of what is wrong with settings that only this room can judge. */
  report(problems: readonly SettingProblem[]): void;
}

export interface SettingsRulesOptions {
  readonly servers: ToolServers;
  readonly switches: ToolEnablement;
  readonly settings: McpSettings;
  /** Whether the person trusts the workspace. */
  readonly trusted: () => boolean;
  /** What is known of the person's own servers. */
  readonly person?: () => PersonKnown | undefined;
}

interface PersonKnown {
  /** What is wrong in the settings and files that name them. */
  problems(): readonly SettingProblem[];
  /** Names of servers whose tools are not known. */
  unknown(): readonly string[];
}

/** The settings and switches as rules. */
export class ToolFilterSettings {
  readonly #options: SettingsRulesOptions;

  constructor(options: SettingsRulesOptions) {
    this.#options = options;
  }

  /** What holds for the agent of a session. */
  of({ state }: AgentContext): ToolRules {
    const { settings, trusted } = this.#options;
    const agent = settings.agents().find(({ name }) => name === state.agent?.name);
    const { toolsOff } = this.#options.switches;
    return availabilityRules(this.#offer, agent?.tools, {
      trusted: trusted(),
      isOn: (name) => this.#isOn(name),
      toolsOff,
    });
  }

  /** Where the settings want the switch. */
  isOnBySettings(registered: RegisteredServer): boolean {
    return isEnabledBySettings(registered, this.#offer);
  }

  problems(): readonly SettingProblem[] {
    const { servers, settings, person } = this.#options;
    const own = person?.();
    const others = [...DEFAULT_TOOL_SERVERS, ...(own?.unknown() ?? [])];
    const lists = settingLists(this.#offer, settings.agents());
    return [...(own?.problems() ?? []), ...ruleProblems({ servers: servers.list(), others, ...lists })];
  }

  get #offer(): AvailabilitySettings {
    const { settings } = this.#options;
    return {
      servers: settings.scoped('tools.servers'),
      allow: settings.scoped('tools.allow'),
      deny: settings.scoped('tools.deny'),
    };
  }

  #isOn(name: string): boolean {
    const { servers, switches } = this.#options;
    const registered = servers.get(name);
    return registered !== undefined && (switches.get(name) ?? this.isOnBySettings(registered));
  }
}
