import { readFileSync, readdirSync } from 'node:fs';
import { SerialQueue } from '../../base/async';
import type { ProcessRow } from './processTree';
import { listProcesses, processTreeOf } from './processTree';

/** A time in which no watched process ran: milliseconds since 1970. */
interface IdleTime {
  readonly from: number;
  to: number;
}

interface ProcessActivityOptions {
  /** Ids of running processes; their descendants are watched, too. */
  readonly roots: () => readonly number[];
  /** Other reasons for which no time counts as idle. */
  readonly isBusy: () => boolean;
}

const SAMPLE_INTERVAL_MS = 250;
/** Milliseconds by which times of files may be inexact: Linux stamps them with a coarse clock. */
const TOLERANCE_MS = 20;
const MAX_TIMES = 500;

/**
 * Times in which some processes and their descendants did not run at all, so that a file changed by then was changed by another program.
 * Linux only: elsewhere no time is known as idle.
 */
export class ProcessActivity {
  readonly #options: ProcessActivityOptions;
  readonly #queue = new SerialQueue();
  readonly #idle: IdleTime[] = [];
  #members: readonly ProcessRow[] = [];
  /** How long the members have run; undefined if unknown. */
  #ran: string | undefined;
  /** Lasts since the members were known to be complete. */
  #current: IdleTime | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProcessActivityOptions) {
    this.#options = options;
  }

  /** Has no effect while it runs. */
  start(): void {
    if (process.platform !== 'linux' || this.#timer) return;
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#current = undefined;
    this.#idle.length = 0;
  }

  /**
   * Whether no watched process ran at that time. False if that is not known.
   * @param at milliseconds since 1970
   */
  async wasIdle(at: number): Promise<boolean> {
    if (!this.#timer) return false;
    await this.#sample();
    return this.#idle.some(({ from, to }) => from + TOLERANCE_MS <= at && at <= to - TOLERANCE_MS);
  }

  #sample(): Promise<void> {
    return this.#queue.run(async () => {
      const now = Date.now();
      if (this.#options.isBusy()) {
        this.#current = this.#ran = undefined;
        return;
      }
      const ran = runTimes(this.#members);
      const isSame = ran !== undefined && ran === this.#ran && this.#hasRoots();
      this.#ran = ran;
      if (isSame && this.#current) this.#current.to = now;
      else this.#current = undefined;
      // Listing all processes takes longer: not while the members run.
      if (this.#current || (!isSame && ran !== undefined && this.#hasRoots())) return;
      await this.#findMembers();
    });
  }

  /** Idle time starts when the members did not run, and thus started no process, while they were listed. */
  async #findMembers(): Promise<void> {
    const rows = await listProcesses().catch(() => []);
    const alive = this.#members.filter((member) => rows.some((row) => isSameProcess(row, member)));
    // A daemon has left the tree of its parent.
    const roots = [...this.#options.roots(), ...alive.map(({ pid }) => pid)];
    const found = new Map(roots.flatMap((root) => processTreeOf(root, rows)).map((row) => [row.pid, row]));
    const known = this.#members;
    this.#members = [...found.values()];
    const isComplete = known.length === found.size && known.every(({ pid }) => found.has(pid));
    const ran = runTimes(this.#members);
    if (isComplete && ran !== undefined && ran === this.#ran) this.#begin();
    this.#ran = ran;
  }

  #begin(): void {
    const from = Date.now();
    this.#current = { from, to: from };
    this.#idle.push(this.#current);
    if (this.#idle.length > MAX_TIMES) this.#idle.shift();
  }

  #hasRoots(): boolean {
    const roots = this.#options.roots();
    return roots.length > 0 && roots.every((root) => this.#members.some(({ pid }) => pid === root));
  }
}

function isSameProcess(a: ProcessRow, b: ProcessRow): boolean {
  return a.pid === b.pid && a.born === b.born;
}

/** Time on the processor of every thread, see proc(5); undefined where a process has ended or may not be read. */
function runTimes(members: readonly ProcessRow[]): string | undefined {
  if (members.length === 0) return undefined;
  try {
    return members.map(({ pid }) => threadTimes(pid)).join('\n');
  } catch {
    return undefined;
  }
}

function threadTimes(pid: number): string {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((thread) => `${thread} ${readFileSync(`${folder}/${thread}/schedstat`, 'utf8')}`)
    .join('');
}
