import type { DistributionChoice } from './distribution';
import { chooseDistribution } from './distribution';
import type { InstalledAgent } from './installedAgents';
import type { RegistryAgent } from './registryAgent';

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

/** The possible action for each agent: updates first, unsupported platforms last, otherwise by name. */
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

/** Whether `candidate` is a later version than `current` by semver; other formats are compared segment by segment. */
export function isNewerVersion(candidate: string, current: string): boolean {
  return compareVersions(candidate, current) > 0;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  const byNumbers = compareParts(left.numbers, right.numbers, '0');
  if (byNumbers !== 0) return byNumbers;
  // 1.0.0-beta precedes 1.0.0.
  if (left.label.length === 0 || right.label.length === 0) return right.label.length - left.label.length;
  return compareParts(left.label, right.label, '');
}

function split(version: string): { numbers: string[]; label: string[] } {
  const [whole = ''] = version.replace(/^v/, '').split('+');
  const [numbers = '', ...label] = whole.split('-');
  return { numbers: numbers.split('.'), label: label.length === 0 ? [] : label.join('-').split('.') };
}

function compareParts(a: readonly string[], b: readonly string[], missing: string): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [left, right] = [a[index] ?? missing, b[index] ?? missing];
    const order = left.localeCompare(right, 'en', { numeric: true });
    if (order !== 0) return order;
  }
  return 0;
}
