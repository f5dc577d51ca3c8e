import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { delay } from '../../base/async';
import type { Disposable } from '../../base/lifecycle';
import { acquireLock, breakLock } from './fileLock';

/** Runs jobs of the same name one after the other, across all windows. */
export type Mutex = <T>(name: string, job: () => Promise<T>) => Promise<T>;

/** Milliseconds between two checks for another window's job. */
const POLL_MS = 20;
/**
 * Milliseconds after which a job runs without the lock: the other window may hang, or another process may have its id
 * now (see `fileLock.ts`).
 */
const MAX_WAIT_MS = 20_000;

/**
 * Mutual exclusion between windows by files in a shared folder; files of windows that have ended are ignored.
 * @param folder absolute
 * @param longest maximum waiting time in milliseconds
 */
export function fileMutex(folder: string, longest = MAX_WAIT_MS): Mutex {
  return async (name, job) => {
    const turn = await takeTurn(
      join(folder, 'turns'),
      createHash('sha256').update(name).digest('hex').slice(0, 32),
      longest,
    );
    try {
      return await job();
    } finally {
      turn?.dispose();
    }
  };
}

async function takeTurn(folder: string, id: string, longest: number): Promise<Disposable | undefined> {
  for (let waited = 0; waited < longest; waited += POLL_MS) {
    const turn = acquireLock(folder, id);
    if (turn) return turn;
    // There is no event for the end of another window's job.
    await delay(POLL_MS);
  }
  breakLock(folder, id);
  return acquireLock(folder, id);
}
