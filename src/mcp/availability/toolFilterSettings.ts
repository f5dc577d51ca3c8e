import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEFAULT_TOOL_SERVERS } from '../../agent/config/agentToolSettings';
import type { Event } from '../../base/event';
import type { SettingScopes } from '../../base/settingScopes';
import type { SettingProblem } from '../../base/settings';
import type { ScopedSettings } from '../../session/settings/scopedSettings';
import type { ToolRules } from './toolFilter';
import type { AvailabilitySettings } from './availabilityRules';
import { availabilityRules, isEnabledBySettings } from './availabilityRules';
import type { AgentContext } from '../calls/toolCallGate';
import type { ToolEnablement } from './toolEnablement';
import type { RegisteredServer, ToolServers } from '../toolServerRegistry';
import { ruleProblems } from './settingWarnings';
import { t } from '../../base/l10n';
import type { PatternList, Validated } from './settingWarnings';

/** The settings that this room reads; `Configuration` has them. */
export interface McpSettings {
  scoped<K extends 'tools.servers' | 'tools.allow' | 'tools.deny' | 'tools.ide'>(
    key: K,
  ): SettingScopes<ScopedSettings[K]>;
  agents(): readonly AgentDefinition[];
  /** Settings, folders or the trust have changed. */
  readonly onDidChange: Event<void>;
  /** Tells the user of what is wrong with settings that only this room can judge. */
  report(problems: readonly SettingProblem[]): void;
}

export interface SettingsRulesOptions {
  readonly servers: ToolServers;
  readonly switches: ToolEnablement;
  readonly settings: McpSettings;
  /** Whether the user trusts the workspace. */
  readonly trusted: () => boolean;
  /** What is known of the user's own servers. */
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

/** All lists of the settings that name servers or tools, each with its place. */
function settingLists(
  { servers, allow, deny }: AvailabilitySettings,
  agents: readonly AgentDefinition[],
): Pick<Validated, 'patterns' | 'names'> {
  const ofAgents = agents.flatMap(({ name, tools, workspace }) => {
    if (!tools) return [];
    const from = workspace && { from: t('settings of {0}', workspace.place) };
    return [{ path: `parley.agents[${JSON.stringify(workspace?.name ?? name)}]`, tools, ...from }];
  });
  return {
    names: [
      ...listsOf('parley.tools.servers', servers),
      ...ofAgents.map(({ path, tools, ...from }) => ({
        path: `${path}.mcp.servers`,
        patterns: tools.servers ?? [],
        ...from,
      })),
    ],
    patterns: [
      ...listsOf('parley.tools.allow', allow).slice(0, 1),
      ...listsOf('parley.tools.deny', deny),
      ...ofAgents.flatMap(({ path, tools, ...from }) => [
        { path: `${path}.tools.allow`, patterns: tools.allow, ...from },
        { path: `${path}.tools.deny`, patterns: tools.deny, ...from },
      ]),
    ],
  };
}

/** The user's own list first. */
function listsOf(path: string, { user, workspace, folders }: SettingScopes<readonly string[]>): PatternList[] {
  return [
    { path, patterns: user },
    ...(workspace ? [{ path, patterns: workspace, from: t('workspace settings') }] : []),
    ...folders.map(({ name, value }) => ({ path, patterns: value, from: t('settings of the folder “{0}”', name) })),
  ];
}
