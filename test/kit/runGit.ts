import { execFileSync } from 'node:child_process';

/** Git with nothing of this machine: no variables that select a repository, no configuration of the user or the system. */
export const gitEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});

/** No maintenance: a commit would start two more processes. */
const SETTINGS = ['user.name=a', 'user.email=b', 'maintenance.auto=false'].flatMap((setting) => ['-c', setting]);

/**
 * Runs git as a user does, in any repository.
 * @returns Its output.
 * @throws With git's message if it fails.
 */
export function runGit(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...SETTINGS, ...args], { cwd, env: gitEnvironment(), encoding: 'utf8', stdio: 'pipe' });
}
