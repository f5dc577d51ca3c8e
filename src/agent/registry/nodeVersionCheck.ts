import { execFile } from 'node:child_process';
import { t } from '../../base/l10n';
import type { Env } from '../../node/process/processEnvironment';
import { findOnPath } from './findOnPath';
import { findKnownAgent } from './knownAgents';

/** Default minimum major version of Node for agents from npm. */
const DEFAULT_NODE_MAJOR = 20;
const DEADLINE_MS = 5_000;

/** The minimum major version of Node that this command line needs, as far as known. */
export function requiredNodeVersion(command: string, args: readonly string[]): number {
  return findKnownAgent(command, args)?.node ?? DEFAULT_NODE_MAJOR;
}

/**
 * Runs `node --version` on PATH and describes a problem for this agent; undefined without a problem or when the version
 * is unknown. Only a warning: the user may know better.
 */
export async function checkNodeVersion(
  command: string,
  args: readonly string[],
  env: Readonly<Env>,
): Promise<string | undefined> {
  const needed = requiredNodeVersion(command, args);
  const node = findOnPath('node', env);
  if (node === undefined) return t('Node.js was not found on PATH. The agent requires version {0} or later.', needed);
  const version = await new Promise<string>((resolve) => {
    const options = { env: { ...env }, timeout: DEADLINE_MS, windowsHide: true };
    execFile(node, ['--version'], options, (_error, stdout) => resolve(stdout.trim()));
  });
  const major = Number(/^v(\d+)\./.exec(version)?.[1]);
  if (!Number.isInteger(major) || major >= needed) return undefined;
  return t('The agent requires Node.js {0} or later, but {1} is version {2}.', needed, node, version);
}
