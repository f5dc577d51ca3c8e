import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { t } from '../../base/l10n';
import type { SettingScopes } from '../../base/settingScopes';
import type { AvailabilitySettings } from './availabilityRules';
import type { PatternList, Validated } from './settingWarnings';

/** All lists of the settings that name servers or tools, each with its place. */
export function settingLists(
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

/** The person's own list first. */
function listsOf(path: string, { user, workspace, folders }: SettingScopes<readonly string[]>): PatternList[] {
  return [
    { path, patterns: user },
    ...(workspace ? [{ path, patterns: workspace, from: t('workspace settings') }] : []),
    ...folders.map(({ name, value }) => ({ path, patterns: value, from: t('settings of the folder “{0}”', name) })),
  ];
}
