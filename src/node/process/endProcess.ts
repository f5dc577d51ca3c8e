import { execFile } from 'node:child_process';
import { delay } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { ProcessRow } from './processTree';
import { listProcesses, processTreeOf } from './processTree';

/** How long each step of ending a process may take, in milliseconds. Measured: most agents leave 50-1200 ms after stdin ends. */
export interface TerminationDeadlines {
  /** After stdin was closed. */
  readonly eof: number;
  /** After SIGTERM. */
  readonly term: number;
  /** After SIGKILL. */
  readonly kill: number;
}

export const END_DEADLINES: TerminationDeadlines = { eof: 1_500, term: 1_500, kill: 3_000 };

/** There is no event for the end of a process that is not our child. */
const POLL_MS = 25;

/** Between two looks at the tree of a process that still runs; its own end is an event. */
const MAX_POLL_MS = 100;

export interface Ending {
  readonly pid: number;
  readonly log: Logger;
  readonly deadlines: TerminationDeadlines;
  closeInput(): void;
  hasExited(): boolean;
  /** Settles when the process itself has exited. */
  readonly exited: Promise<unknown>;
}

/**
 * Ends a process and everything it has started: close stdin, wait, SIGTERM the group, wait, SIGKILL what is left. The tree is
 * walked before each step, because children lose their parent, the only trace to them, when it exits. Resolves when all are
 * gone, or after the last deadline (then logged).
 */
export async function endProcess(ending: Ending): Promise<void> {
  if (process.platform === 'win32') {
    await endOnWindows(ending);
    return;
  }
  const tree = new Tree(ending);
  await tree.look();
  ending.closeInput();
  if (await tree.gone(ending.deadlines.eof, () => ending.hasExited())) return;
  await tree.look();
  tree.signal('SIGTERM');
  if (await tree.gone(ending.deadlines.term)) return;
  await tree.look();
  tree.signal('SIGKILL');
  if (await tree.gone(ending.deadlines.kill)) return;
  ending.log.warn('agent', `These processes did not end: ${tree.pids().join(', ')}`);
}

/** The last resort when our own process ends: nothing asynchronous can be done then. */
export function killProcessGroup(pid: number): void {
  sendSignal(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
}

class Tree {
  readonly #ending: Ending;
  #members = new Map<number, ProcessRow>();

  constructor(ending: Ending) {
    this.#ending = ending;
  }

  /** Adds what has been started since, forgets what has ended. */
  async look(): Promise<void> {
    const rows = await this.#list();
    const alive = [...this.#members.values()].filter((member) => rows.some((row) => isSame(row, member)));
    const roots = new Set([this.#ending.pid, ...alive.map(({ pid }) => pid)]);
    const found = [...roots].flatMap((root) => processTreeOf(root, rows));
    this.#members = new Map([...alive, ...found].map((row) => [row.pid, row]));
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const group = this.#ending.pid;
    const exited = this.#ending.hasExited();
    // Once the process is gone and its group empty, the number may belong to somebody else.
    if (!exited || [...this.#members.values()].some((row) => row.group === group)) sendSignal(-group, signal);
    // Shells and daemons have groups of their own, and the agent may want to end them in its own way: they come after SIGTERM.
    if (signal === 'SIGTERM' && !exited) return;
    for (const pid of this.pids()) sendSignal(pid, signal);
  }

  pids(): number[] {
    return [...this.#members.keys()];
  }

  /**
   * Waits until every process is gone, at most `ms`.
   * @param giveUp ends the wait early when only processes are left that nobody will end.
   */
  async gone(ms: number, giveUp: () => boolean = () => false): Promise<boolean> {
    const until = Date.now() + ms;
    for (let pause = POLL_MS; ; pause = Math.min(2 * pause, MAX_POLL_MS)) {
      await this.look();
      if (this.#members.size === 0 && this.#ending.hasExited()) return true;
      if (Date.now() >= until || (this.#members.size > 0 && giveUp())) return false;
      const wait = Math.min(pause, Math.max(0, until - Date.now()));
      await Promise.race([delay(wait), ...(this.#ending.hasExited() ? [] : [this.#ending.exited])]);
    }
  }

  async #list(): Promise<readonly ProcessRow[]> {
    try {
      return await listProcesses();
    } catch (error) {
      this.#ending.log.warn('agent', `Could not list the processes: ${errorMessage(error)}`);
      return [];
    }
  }
}

function isSame(a: ProcessRow, b: ProcessRow): boolean {
  return a.pid === b.pid && a.born === b.born;
}

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** A console program cannot be asked to end on Windows, and its tree can only be walked while it lives. */
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
