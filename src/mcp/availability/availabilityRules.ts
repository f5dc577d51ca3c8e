import type { AgentTools } from '../../agent/config/agentToolSettings';
import type { SettingScopes } from '../../base/settingScopes';
import { allScopeValues } from '../../base/settingScopes';
import type { ToolRules } from './toolFilter';
import type { ToolOrigin } from '../../shared/protocol/toolsPanelState';

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

/** The rules for one agent: `deny` lists of all scopes are joined, `allow` counts from user settings only. */
export function availabilityRules(
  { allow, deny }: AvailabilitySettings,
  agent: AgentTools | undefined,
  more: Pick<ToolRules, 'isTrusted' | 'isOn' | 'toolsOff'>,
): ToolRules {
  return {
    ...more,
    deny: [...allScopeValues(deny).flat(), ...(agent?.deny ?? [])],
    allow: [allow.user, agent?.allow ?? []],
    ...(agent?.servers && { agentServers: agent.servers }),
  };
}
