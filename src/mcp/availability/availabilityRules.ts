import type { AgentTools } from '../../agent/config/agentToolSettings';
import type { SettingScopes } from '../../base/settingScopes';
import { allScopeValues } from '../../base/settingScopes';
import type { ToolRules } from './toolFilter';
import type { Origin } from '../toolServerRegistry';

/** The settings that say what agents are offered, as each scope has them. */
export interface AvailabilitySettings {
  /** `parley.tools.servers` */
  readonly servers: SettingScopes<readonly string[]>;
  readonly allow: SettingScopes<readonly string[]>;
  readonly deny: SettingScopes<readonly string[]>;
}

/**
 * Whether the settings switch a server on: of Parley's own those on the user's list, of which a workspace's list only takes away.
 * All others are there because the user installed or named them.
 */
export function isEnabledBySettings(
  { name, origin }: { readonly name: string; readonly origin: Origin },
  { servers }: AvailabilitySettings,
): boolean {
  return origin !== 'builtIn' || allScopeValues(servers).every((list) => list.includes(name));
}

/** What holds for one agent. Denies of all scopes unite; allow counts from the user's own settings only. */
export function availabilityRules(
  { allow, deny }: AvailabilitySettings,
  agent: AgentTools | undefined,
  more: Pick<ToolRules, 'trusted' | 'isOn' | 'toolsOff'>,
): ToolRules {
  return {
    ...more,
    deny: [...allScopeValues(deny).flat(), ...(agent?.deny ?? [])],
    allow: [allow.user, agent?.allow ?? []],
    ...(agent?.servers && { agentServers: agent.servers }),
  };
}
