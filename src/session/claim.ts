import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disposable } from '../base/lifecycle';
import { toDisposable } from '../base/lifecycle';

/**
 * Takes a session for this window, so that no other window brings back the same one and both write into its transcript: windows
 * without a folder share one place. A claim dies with its process. Dispose it to let the session go.
 * @returns undefined when another living window has it
 */
export function claim(folder: string, id: string): Disposable | undefined {
  const file = join(folder, `${id}.window`);
  mkdirSync(folder, { recursive: true });
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return toDisposable(() => rmSync(file, { force: true }));
    } catch {
      if (isClaimed(folder, id)) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

/** Whether a living window has the session. */
export function isClaimed(folder: string, id: string): boolean {
  return isAlive(ownerOf(join(folder, `${id}.window`)));
}

function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but is not ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
