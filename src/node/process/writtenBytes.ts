import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { systemErrorCode } from '../../base/errors';

/** Bytes that processes have written since they started. */
export interface Written {
  /** By system calls, also to pipes. */
  readonly calls: number;
  /** To files of a disk; see write_bytes in proc(5). A page that waits to be stored is counted once. */
  readonly disk: number;
}

/** Linux only. */
export class WrittenBytes {
  /** Some kernels do not list children. */
  readonly #isKnown = existsSync('/proc/thread-self/children');
  /** Those of the last time: a daemon has left the tree of its parent. */
  #known: ReadonlySet<number> = new Set();

  /**
   * What the processes and their descendants have written. What an ended process wrote counts for its parent, so the total stays the same
   * while nobody writes. Undefined where a process may not be read.
   */
  total(roots: readonly number[]): Written | undefined {
    if (!this.#isKnown) return undefined;
    const found = new Set([...roots, ...this.#known]);
    let [calls, disk] = [0, 0];
    // Iterating a Set includes elements added during the iteration. Parents are first: a child that ends meanwhile is missing, not doubled.
    for (const pid of found) {
      try {
        const counts = readFileSync(`/proc/${pid}/io`, 'utf8');
        calls += numberIn(counts, 'wchar');
        disk += numberIn(counts, 'write_bytes');
        for (const child of childrenOf(pid)) found.add(child);
      } catch (error) {
        if (!hasEnded(error)) return undefined;
        found.delete(pid);
      }
    }
    this.#known = found;
    return { calls, disk };
  }
}

function childrenOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).flatMap((thread) => {
    const text = readFileSync(`${folder}/${thread}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  });
}

function numberIn(counts: string, name: string): number {
  return Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(counts)?.[1]);
}

function hasEnded(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes(systemErrorCode(error) ?? '');
}
