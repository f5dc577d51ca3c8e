import type { DistributionChoice } from './distribution';
import { chooseDistribution } from './distribution';
import type { InstalledAgent } from './installedAgents';
import type { RegistryAgent } from './registryAgent';
import { isNewerVersion } from './versions';

/** An agent of the registry as "Install Agent…" lists it. */
export interface RegistryItem {
  readonly agent: RegistryAgent;
  readonly choice: DistributionChoice;
  readonly state: 'update' | 'installed' | 'available' | 'unavailable';
  readonly installed?: InstalledAgent;
}

const ORDER: Readonly<Record<RegistryItem['state'], number>> = {
  update: 0,
  installed: 1,
  available: 2,
  unavailable: 3,
};

/** What can be done with each agent here: updates first, what is not for this platform last, else by name. */
export function listRegistryItems(
  agents: readonly RegistryAgent[],
  installed: readonly InstalledAgent[],
  platform: string | undefined,
  has: (program: 'npx' | 'uvx') => boolean,
): readonly RegistryItem[] {
  return agents
    .map((agent): RegistryItem => {
      const choice = chooseDistribution(agent, platform, has);
      const mine = installed.find(({ id, from }) => id === agent.id && from === 'registry');
      return { agent, choice, state: stateOf(agent, choice, mine), ...(mine && { installed: mine }) };
    })
    .toSorted((a, b) => ORDER[a.state] - ORDER[b.state] || a.agent.name.localeCompare(b.agent.name));
}

function stateOf(
  agent: RegistryAgent,
  choice: DistributionChoice,
  installed: InstalledAgent | undefined,
): RegistryItem['state'] {
  if (installed && choice.kind !== 'none' && isNewerVersion(agent.version, installed.version ?? '0')) return 'update';
  if (installed) return 'installed';
  return choice.kind === 'none' ? 'unavailable' : 'available';
}
