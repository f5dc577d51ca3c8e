import { readFile, readdir } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Ends all processes that an agent left running: those started with `home` as HOME. Daemons and shells leave the agent's process
 * group, so HOME is the only way to identify them. Does nothing without /proc.
 * @returns Names of the ended processes.
 */
export async function endLeftovers(home: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
      if (!environment.split('\0').includes(`HOME=${home}`)) return undefined;
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      try {
        process.kill(Number(id), 'SIGKILL');
      } catch {
        // The process has already exited.
        return undefined;
      }
      return command
        .split('\0')
        .slice(0, 2)
        .map((part) => basename(part))
        .join(' ');
    }),
  );
  return names.filter((name) => name !== undefined && name !== '') as string[];
}
