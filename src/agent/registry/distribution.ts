import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import type { BinaryDistribution, PackageDistribution, RegistryAgent } from './registryAgent';

/** How an agent of the registry can be installed here, or why it cannot. */
export type DistributionChoice =
  | { readonly kind: 'npx' | 'uvx'; readonly from: PackageDistribution }
  | { readonly kind: 'binary'; readonly from: BinaryDistribution }
  | { readonly kind: 'none'; readonly reason: string };

const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const MACHINES: Readonly<Record<string, string>> = { arm64: 'aarch64', x64: 'x86_64' };

/**
 * The registry's name of a platform; undefined when it has none.
 * @param system `process.platform`
 * @param machine `process.arch`
 */
export function platformName(system: string, machine: string): string | undefined {
  const [os, arch] = [SYSTEMS[system], MACHINES[machine]];
  return os && arch ? `${os}-${arch}` : undefined;
}

/**
 * Prefers what needs least from the user: a package whose runner is installed, else a binary, else the package (with a
 * warning that its runner is missing).
 * @param has whether a program is on PATH
 */
export function chooseDistribution(
  agent: RegistryAgent,
  platform: string | undefined,
  has: (program: 'npx' | 'uvx') => boolean,
): DistributionChoice {
  const { npx, uvx, binary } = agent.distribution;
  const from = platform === undefined ? undefined : binary[platform];
  const distributions: DistributionChoice[] = [
    ...(npx && has('npx') ? [{ kind: 'npx', from: npx } as const] : []),
    ...(uvx && has('uvx') ? [{ kind: 'uvx', from: uvx } as const] : []),
    ...(from ? [{ kind: 'binary', from } as const] : []),
    ...(npx ? [{ kind: 'npx', from: npx } as const] : []),
    ...(uvx ? [{ kind: 'uvx', from: uvx } as const] : []),
  ];
  return distributions[0] ?? { kind: 'none', reason: whyNone(agent, platform) };
}

function whyNone({ name, version, distribution }: RegistryAgent, platform: string | undefined): string {
  const platforms = Object.keys(distribution.binary);
  const here = platform ?? t('{0} on {1}', process.platform, process.arch);
  if (platforms.length > 0)
    return t('{0} {1} is available only for {2}; this machine is {3}.', name, version, platforms.join(', '), here);
  return t('{0} {1} has no distribution that this version of Parley supports (npx, uvx or binary).', name, version);
}

/**
 * The command line of the agent.
 * @param program absolute path of the unpacked program; used for binaries only
 */
export function launchCommand(
  choice: Exclude<DistributionChoice, { kind: 'none' }>,
  program: string,
): { command: string; args: readonly string[]; env: Readonly<Record<string, string>> } {
  const { args, env } = choice.from;
  switch (choice.kind) {
    case 'npx': {
      const { spec, cmd } = choice.from;
      const what = cmd === undefined ? [spec] : ['--package', spec, cmd];
      return { command: 'npx', args: ['--yes', ...what, ...args], env };
    }
    case 'uvx': {
      const { spec, cmd } = choice.from;
      const what = cmd === undefined ? [spec] : ['--from', spec, cmd];
      return { command: 'uvx', args: [...what, ...args], env };
    }
    case 'binary':
      return { command: program, args, env };
    default:
      return assertNever(choice);
  }
}
