import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { delay } from '../../base/async';
import type { Disposable } from '../../base/lifecycle';
import { acquireLock, breakLock } from './fileLock';

/** Runs jobs of one name one after the other, whichever window they are of. */
export type Mutex = <T>(name: string, job: () => Promise<T>) => Promise<T>;

/** Milliseconds between two looks whether another window is done. */
const PAUSE = 20;
/**
 * Milliseconds after which a job runs all the same: another window may hang, or its number be another process's by now (see `fileLock.ts`).
 */
const LONGEST = 20_000;

/**
 * Turns that windows take by files in a folder that they share; those of a window that has ended do not count.
 * @param folder absolute
 * @param longest milliseconds that one waits
 */
export function fileMutex(folder: string, longest = LONGEST): Mutex {
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
  for (let waited = 0; waited < longest; waited += PAUSE) {
    const turn = acquireLock(folder, id);
    if (turn) return turn;
    // oxlint-disable-next-line no-await-in-loop -- nothing tells of the end of another window's turn
    await delay(PAUSE);
  }
  breakLock(folder, id);
  return acquireLock(folder, id);
}
