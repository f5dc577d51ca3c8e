import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { disallowedUrlReason } from '../../base/urlPolicy';
import { describeLaunch } from '../config/describeLaunch';
import { programPath, unsupportedArchiveError } from './archive/unpack';
import type { DistributionChoice } from './distribution';
import { launchCommand } from './distribution';
import type { RegistryAgent } from './registryAgent';

/** Everything that happens when the user confirms, and nothing else. */
export interface InstallPlan {
  readonly agent: RegistryAgent;
  readonly choice: Exclude<DistributionChoice, { kind: 'none' }>;
  /** The command line of every start. */
  readonly launch: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** Shown to the user before the decision. */
  readonly warnings: readonly string[];
}

/**
 * Plans an installation.
 * @param folder absolute; the folder of this version of a binary
 * @param has whether a program is on PATH
 * @throws ParleyError when no distribution fits, or the entry requires something unsupported
 */
export function planInstall(
  agent: RegistryAgent,
  choice: DistributionChoice,
  folder: string,
  has: (program: 'npx' | 'uvx') => boolean,
): InstallPlan {
  if (choice.kind === 'none') throw cannotInstall(agent, choice.reason);
  if (choice.kind !== 'binary') {
    const missing = has(choice.kind) ? [] : [missingRunner(choice.kind)];
    return { agent, choice, launch: launchCommand(choice, ''), warnings: missing };
  }
  const { archive, cmd, sha256 } = choice.from;
  const problem = disallowedUrlReason(archive) ?? unsupportedArchiveReason(archive);
  if (problem !== undefined) throw cannotInstall(agent, problem);
  const warnings = sha256 === undefined ? [NO_CHECKSUM] : [];
  return { agent, choice, launch: launchCommand(choice, programPath(folder, cmd)), warnings };
}

const NO_CHECKSUM = t(
  'The registry provides no checksum for this download. Parley cannot verify that this is the file that the authors published.',
);

/** The full plan for the confirmation. External text is shown with its hidden characters. */
export function describePlan({ agent, choice, launch, warnings }: InstallPlan, registry: string): string {
  const binary = choice.kind === 'binary' ? choice.from : undefined;
  const lines = [
    ...warnings.map((warning) => `⚠ ${warning}`),
    ...(warnings.length > 0 ? [''] : []),
    t('Version: {0}', agent.version),
    agent.license ? t('License: {0}', agent.license) : t('License: not specified'),
    t('From: {0}', registry),
    ...(binary
      ? [
          t('Download: {0}', binary.archive),
          binary.sha256 ? t('SHA-256: {0}', binary.sha256) : t('SHA-256: not specified'),
        ]
      : []),
    ...(binary ? [] : [t('Nothing runs now. {0} downloads the package when the agent first starts.', choice.kind)]),
    '',
    t('Each start runs:'),
    ...describeLaunch(launch),
  ];
  return lines.map(escapeInvisibleInline).join('\n');
}

function unsupportedArchiveReason(archive: string): string | undefined {
  const ending = unsupportedArchiveError(archive);
  return ending === undefined ? undefined : t('Parley cannot unpack {0} files', ending);
}

function missingRunner(runner: 'npx' | 'uvx'): string {
  return runner === 'npx'
    ? t('npx was not found on PATH. Install Node.js before you start the agent.')
    : t('uvx was not found on PATH. Install uv before you start the agent.');
}

function cannotInstall(agent: RegistryAgent, reason: string): ParleyError {
  const nextStep = t('Install the agent manually and add it to the setting parley.agents, or select another agent.');
  return new ParleyError('badInput', t('Cannot install {0}: {1}', agent.name, reason), { nextStep });
}
