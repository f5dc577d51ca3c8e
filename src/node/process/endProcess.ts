import { execFile } from 'node:child_process';
import { delay } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { ProcessRow } from './processTree';
import { listProcesses, processTreeOf } from './processTree';

/**
 * Maximum milliseconds for each step of ending a process. Measured: most agents exit 50-1200 ms after stdin is closed.
 */
export interface TerminationDeadlines {
  /** After stdin was closed. */
  readonly eof: number;
  /** After SIGTERM. */
  readonly term: number;
  /** After SIGKILL. */
  readonly kill: number;
}

export const END_DEADLINES: TerminationDeadlines = { eof: 1_500, term: 1_500, kill: 3_000 };

/** Processes that are not our children have no exit event. */
const POLL_MS = 25;

/** Maximum interval for checking the tree of a running process; its own exit is an event. */
const MAX_POLL_MS = 100;

interface Ending {
  readonly pid: number;
  readonly log: Logger;
  readonly deadlines: TerminationDeadlines;
  closeInput(): void;
  hasExited(): boolean;
  /** Settles when the process itself has exited. */
  readonly exited: Promise<unknown>;
}

/**
 * Ends a process and its descendants: close stdin, wait, SIGTERM the group, wait, SIGKILL the rest. The tree is listed
 * before each step, because children lose their parent id when the parent exits. Resolves when all have ended, or after
 * the last deadline (then logged).
 */
export async function endProcess(ending: Ending): Promise<void> {
  if (process.platform === 'win32') {
    await endOnWindows(ending);
    return;
  }
  const tree = new Tree(ending);
  await tree.refresh();
  ending.closeInput();
  if (await tree.waitForEnd(ending.deadlines.eof, () => ending.hasExited())) return;
  await tree.refresh();
  tree.signal('SIGTERM');
  if (await tree.waitForEnd(ending.deadlines.term)) return;
  await tree.refresh();
  tree.signal('SIGKILL');
  if (await tree.waitForEnd(ending.deadlines.kill)) return;
  ending.log.warn('agent', `Failed to end these processes: ${tree.pids().join(', ')}`);
}

/** For the exit of our own process: nothing asynchronous can run then. */
export function killProcessGroup(pid: number): void {
  sendSignal(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
}

class Tree {
  #members = new Map<number, ProcessRow>();

  constructor(private readonly ending: Ending) {}

  /** Adds new descendants, removes ended ones. */
  async refresh(): Promise<void> {
    const rows = await this.#list();
    const alive = [...this.#members.values()].filter((member) => rows.some((row) => isSameProcess(row, member)));
    // After its exit, a process with its id is another one, and nothing is left of its group.
    const { pid: own } = this.ending;
    const isReused = this.ending.hasExited() && rows.some(({ pid }) => pid === own);
    const roots = new Set([...(isReused ? [] : [own]), ...alive.map(({ pid }) => pid)]);
    const found = [...roots].flatMap((root) => processTreeOf(root, rows));
    this.#members = new Map([...alive, ...found].map((row) => [row.pid, row]));
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const group = this.ending.pid;
    const hasExited = this.ending.hasExited();
    // When the process and its group have ended, the id may belong to another process.
    const hasGroup = !hasExited || [...this.#members.values()].some((row) => row.group === group);
    const isSent = hasGroup && sendSignal(-group, signal);
    // A process that was started a moment ago may not have its group yet.
    if (!isSent && !hasExited) sendSignal(group, signal);
    // Shells and daemons have their own groups, and the agent may end them itself: they are signaled after SIGTERM.
    if (signal === 'SIGTERM' && !hasExited) return;
    for (const pid of this.pids()) sendSignal(pid, signal);
  }

  pids(): number[] {
    return [...this.#members.keys()];
  }

  /**
   * Waits until all processes have ended, at most `ms`.
   * @param giveUp ends the wait early when only processes are left that will not be signaled
   */
  async waitForEnd(ms: number, giveUp: () => boolean = () => false): Promise<boolean> {
    const until = performance.now() + ms;
    for (let pause = POLL_MS; ; pause = Math.min(2 * pause, MAX_POLL_MS)) {
      await this.refresh();
      if (this.#members.size === 0 && this.ending.hasExited()) return true;
      if (performance.now() >= until || (this.#members.size > 0 && giveUp())) return false;
      const wait = Math.min(pause, Math.max(0, until - performance.now()));
      await Promise.race([delay(wait), ...(this.ending.hasExited() ? [] : [this.ending.exited])]);
    }
  }

  async #list(): Promise<readonly ProcessRow[]> {
    try {
      return await listProcesses();
    } catch (error) {
      this.ending.log.warn('agent', `Failed to list the processes: ${errorMessage(error)}`);
      return [];
    }
  }
}

function isSameProcess(a: ProcessRow, b: ProcessRow): boolean {
  return a.pid === b.pid && a.born === b.born;
}

/** False if there is no such process or group. */
function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Windows cannot ask a console program to end, and its tree can only be listed while it runs. */
async function endOnWindows(ending: Ending): Promise<void> {
  const { pid, exited, deadlines } = ending;
  ending.closeInput();
  await Promise.race([exited, delay(deadlines.eof)]);
  if (ending.hasExited()) return;
  await new Promise((resolve) => {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, resolve);
  });
  await Promise.race([exited, delay(deadlines.kill)]);
}
