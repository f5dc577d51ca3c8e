import { readFileSync, readdirSync } from 'node:fs';
import { SerialQueue } from '../../base/async';
import type { ProcessRow } from './processTree';
import { listProcesses, processTreeOf } from './processTree';
import type { Written } from './writtenBytes';
import { WrittenBytes } from './writtenBytes';

const SAMPLE_INTERVAL_MS = 250;
/** Milliseconds by which times of files may be inexact: Linux stamps them with a coarse clock. */
const TOLERANCE_MS = 20;
const MAX_TIMES = 500;

/** Milliseconds since 1970. */
interface Span {
  readonly from: number;
  to: number;
}

/** Times in which something held. */
class Spans {
  readonly #all: Span[] = [];
  #current: Span | undefined;

  get isCurrent(): boolean {
    return this.#current !== undefined;
  }

  /** Holds from `from` until `to`; if it held until `from`, the time goes on. */
  extend(from: number, to: number): void {
    if (this.#current) {
      this.#current.to = to;
      return;
    }
    this.#current = { from, to };
    this.#all.push(this.#current);
    if (this.#all.length > MAX_TIMES) this.#all.shift();
  }

  end(): void {
    this.#current = undefined;
  }

  clear(): void {
    this.end();
    this.#all.length = 0;
  }

  has(at: number): boolean {
    return this.#all.some(({ from, to }) => from + TOLERANCE_MS <= at && at <= to - TOLERANCE_MS);
  }
}

/**
 * When some processes and their descendants did not run, or did not write, so that another program changed what changed then. Linux only:
 * elsewhere no such time is known.
 */
export class ProcessActivity {
  readonly #queue = new SerialQueue();
  readonly #idle = new Spans();
  readonly #still = new Spans();
  readonly #unwritten = { calls: new Spans(), disk: new Spans() };
  readonly #written = new WrittenBytes();
  #before: { readonly at: number; readonly written: Written } | undefined;
  #members: readonly ProcessRow[] = [];
  /** How long the members have run; undefined if unknown. */
  #ran: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param roots ids of running processes; their descendants are watched, too
   * @param isBusy other reasons for which no time counts as idle
   */
  constructor(
    private readonly roots: () => readonly number[],
    private readonly isBusy: () => boolean,
  ) {}

  /** Whether this system tells when processes run. */
  readonly isKnown = process.platform === 'linux';

  /** Has no effect while it runs. */
  start(): void {
    if (!this.isKnown || this.#timer) return;
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_INTERVAL_MS).unref();
    void this.#sample();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#before = undefined;
    for (const spans of [this.#idle, this.#still, ...Object.values(this.#unwritten)]) spans.clear();
  }

  /**
   * Whether no watched process ran at that time, and nothing else was busy. False if that is not known.
   * @param at milliseconds since 1970
   */
  wasIdle(at: number): Promise<boolean> {
    return this.#heldAt(this.#idle, at);
  }

  /** Whether no watched process ran at that time. Else as {@link wasIdle}. */
  wasStill(at: number): Promise<boolean> {
    return this.#heldAt(this.#still, at);
  }

  /** Whether no watched process wrote at that time: at all (`calls`), or to a disk. Else as {@link wasIdle}. */
  wroteNothing(at: number, to: keyof Written): Promise<boolean> {
    return this.#heldAt(this.#unwritten[to], at);
  }

  async #heldAt(spans: Spans, at: number): Promise<boolean> {
    if (!this.#timer) return false;
    await this.#sample();
    return spans.has(at);
  }

  #sample(): Promise<void> {
    return this.#queue.run(async () => {
      this.#compareWritten();
      const now = Date.now();
      const ran = runTimes(this.#members);
      const isSame = ran !== undefined && ran === this.#ran && this.#hasRoots();
      this.#ran = ran;
      this.#setStill(isSame && this.#still.isCurrent ? now : undefined);
      // Listing all processes takes longer: not while the members run.
      if (this.#still.isCurrent || (!isSame && ran !== undefined && this.#hasRoots())) return;
      await this.#findMembers();
    });
  }

  /** @param at undefined if a process has run */
  #setStill(at: number | undefined): void {
    if (at === undefined) this.#still.end();
    else this.#still.extend(at, at);
    if (at === undefined || this.isBusy()) this.#idle.end();
    else this.#idle.extend(at, at);
  }

  #compareWritten(): void {
    const now = Date.now();
    const roots = this.roots();
    const members = this.#members.map(({ pid }) => pid);
    const written = roots.length > 0 ? this.#written.total([...roots, ...members]) : undefined;
    for (const to of ['calls', 'disk'] as const) {
      const isSame = written !== undefined && this.#before?.written[to] === written[to];
      if (isSame) this.#unwritten[to].extend(this.#before?.at ?? now, now);
      else this.#unwritten[to].end();
    }
    this.#before = written && { at: Date.now(), written };
  }

  /** Still time starts when the members did not run, and thus started no process, while they were listed. */
  async #findMembers(): Promise<void> {
    const rows = await listProcesses().catch(() => []);
    const alive = this.#members.filter((member) => rows.some((row) => isSameProcess(row, member)));
    // A daemon has left the tree of its parent.
    const roots = [...this.roots(), ...alive.map(({ pid }) => pid)];
    const found = new Map(roots.flatMap((root) => processTreeOf(root, rows)).map((row) => [row.pid, row]));
    const known = this.#members;
    this.#members = [...found.values()];
    const isComplete = known.length === found.size && known.every(({ pid }) => found.has(pid));
    const ran = runTimes(this.#members);
    if (isComplete && ran !== undefined && ran === this.#ran) this.#setStill(Date.now());
    this.#ran = ran;
  }

  #hasRoots(): boolean {
    const roots = this.roots();
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
