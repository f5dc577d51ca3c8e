import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEFAULT_TOOL_SERVERS } from '../../agent/config/agentToolSettings';
import type { AgentTools } from '../../agent/config/agentToolSettings';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import type { SettingProblem } from '../../base/settings';
import type { SettingScopes } from '../../base/settingScopes';
import { allScopeValues } from '../../base/settingScopes';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import type { ToolOrigin } from '../../shared/protocol/toolsPanelState';
import type { Preset } from '../../shared/state/preset';
import type { RegisteredServer, ToolServers } from '../contract/toolServerRegistry';
import { ruleProblems } from './settingWarnings';
import type { PatternList, SettingLists } from './settingWarnings';
import type { ToolEnablement } from './toolEnablement';
import type { ToolRules, ToolSwitches } from './toolFilter';

/** Implemented by `Configuration`. */
export interface McpSettings extends ScopedSettingsReader<
  'tools.servers' | 'tools.allow' | 'tools.deny' | 'tools.ide' | 'presets'
> {
  agents(): readonly AgentDefinition[];
  /** Reports problems of settings that only this room can detect. */
  report(problems: readonly SettingProblem[]): void;
}

/** Which tools the settings and the user's switches allow. */
export class ToolFilterSettings {
  /** Fires on changes of settings, switches or workspace trust. */
  readonly onDidChange: Event<void>;

  constructor(
    private readonly servers: ToolServers,
    readonly enablement: ToolEnablement,
    readonly settings: McpSettings,
    private readonly isTrusted: () => boolean,
  ) {
    this.onDidChange = (listener) => {
      const store = new DisposableStore();
      store.add(settings.onDidChange(listener));
      store.add(enablement.onDidChange(listener));
      return store;
    };
  }

  rulesOf({ state }: SessionHandle): ToolRules {
    const agent = this.settings.agents().find(({ name }) => name === state.agent?.name);
    return availabilityRules(this.#lists, agent?.tools, state.preset?.tools, {
      isTrusted: this.isTrusted(),
      isOn: (name) => this.#isOn(name),
      toolsOff: this.enablement.toolsOff,
    });
  }

  isOnBySettings(registered: RegisteredServer): boolean {
    return isEnabledBySettings(registered, this.#lists);
  }

  /** @param unknown names of servers whose tools are not known */
  problems(unknown: readonly string[]): readonly SettingProblem[] {
    const others = [...DEFAULT_TOOL_SERVERS, ...unknown];
    const lists = settingLists(this.#lists, this.settings.agents(), this.settings.scoped('presets').user);
    return ruleProblems({ servers: this.servers.list(), others, ...lists });
  }

  get #lists(): AvailabilitySettings {
    const { settings } = this;
    return {
      servers: settings.scoped('tools.servers'),
      allow: settings.scoped('tools.allow'),
      deny: settings.scoped('tools.deny'),
    };
  }

  #isOn(name: string): boolean {
    const registered = this.servers.get(name);
    return registered !== undefined && (this.enablement.get(name) ?? this.isOnBySettings(registered));
  }
}

/** All setting lists that name servers or tools, each with its setting path. */
function settingLists(
  { servers, allow, deny }: AvailabilitySettings,
  agents: readonly AgentDefinition[],
  presets: readonly Preset[],
): SettingLists {
  const ofAgents = agents.flatMap(({ name, tools, workspace }) => {
    if (!tools) return [];
    const from = workspace && { from: t('settings of {0}', workspace.location) };
    return [{ path: `parley.agents[${JSON.stringify(workspace?.name ?? name)}]`, tools, ...from }];
  });
  const ofPresets = presets.flatMap(({ name, tools }) =>
    tools ? [{ path: `parley.presets[${JSON.stringify(name)}]`, tools }] : [],
  );
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
      ...[...ofAgents, ...ofPresets].flatMap(({ path, tools, ...from }) => [
        { path: `${path}.tools.allow`, patterns: tools.allow ?? [], ...from },
        { path: `${path}.tools.deny`, patterns: tools.deny ?? [], ...from },
      ]),
    ],
  };
}

/** User settings first. */
function listsOf(path: string, { user, workspace, folders }: SettingScopes<readonly string[]>): PatternList[] {
  return [
    { path, patterns: user },
    ...(workspace ? [{ path, patterns: workspace, from: t('workspace settings') }] : []),
    ...folders.map(({ name, value }) => ({ path, patterns: value, from: t('settings of the folder “{0}”', name) })),
  ];
}

export interface AvailabilitySettings {
  /** `parley.tools.servers` */
  readonly servers: SettingScopes<readonly string[]>;
  readonly allow: SettingScopes<readonly string[]>;
  readonly deny: SettingScopes<readonly string[]>;
}

/**
 * Whether the settings enable a server. Built-in servers must be on the user's list, from which a workspace's list can only remove; all
 * other servers are enabled because the user installed or configured them.
 */
export function isEnabledBySettings(
  { name, origin }: { readonly name: string; readonly origin: ToolOrigin },
  { servers }: AvailabilitySettings,
): boolean {
  return origin !== 'builtIn' || allScopeValues(servers).every((list) => list.includes(name));
}

/** The rules for one session: `deny` lists of all scopes are joined, `allow` counts from user settings only, and a preset only narrows. */
export function availabilityRules(
  { allow, deny }: AvailabilitySettings,
  agent: AgentTools | undefined,
  preset: Preset['tools'],
  switches: ToolSwitches,
): ToolRules {
  return {
    ...switches,
    deny: [...allScopeValues(deny).flat(), ...(agent?.deny ?? []), ...(preset?.deny ?? [])],
    allow: [allow.user, agent?.allow ?? [], preset?.allow ?? []],
    ...(agent?.servers && { agentServers: agent.servers }),
  };
}
