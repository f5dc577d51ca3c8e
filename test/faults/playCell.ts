import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cell, Outcome } from './faults';
import { expectedOutcome } from './faults';
import { FaultWindow, MARK } from './faultWindow';
import { REACH } from './moments';
import { getOn, transcript } from './user';

/** Milliseconds in which everything must have ended. */
const END_LIMIT_MS = 10_000;
/** Bytes by which the heap may grow in a cell: code and data that libraries load and retain. */
const HEAP_LIMIT = 12_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Active resources of a process. Timers are excluded, since libraries keep some. */
interface Holdings {
  readonly resources: readonly string[];
  readonly files: readonly string[];
  readonly heap: number;
}

/**
 * Runs one cell and checks that nothing is lost and nothing is leaked.
 * @throws Error that describes the problem.
 */
export async function playCell(cell: Cell): Promise<Outcome> {
  await after(0);
  collectGarbage();
  const before = holdings();
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  try {
    const { outcome, folder, log } = await playIn(new FaultWindow(cell));
    assert.equal(outcome, expectedOutcome(cell), 'how the user gets on');
    await assertNothingRuns(folder);
    rmSync(folder, { recursive: true });
    await assertReturned(before);
    assert.deepEqual(rejections, [], 'unhandled rejections');
    const internal = log.filter((line) =>
      /^error .*(?:Failed to notify a listener:|Failed to handle "|action )/.test(line),
    );
    assert.deepEqual(internal, [], 'internal errors in the log');
    return outcome;
  } finally {
    process.off('unhandledRejection', note);
  }
}

/** What a closed window leaves for the checks; not the window itself, whose memory must be released. */
interface Played {
  readonly outcome: Outcome;
  readonly folder: string;
  readonly log: readonly string[];
}

async function playIn(window: FaultWindow): Promise<Played> {
  try {
    const outcome = await play(window);
    return { outcome, folder: window.folder, log: window.log.lines };
  } catch (error) {
    window.remove();
    throw error;
  }
}

async function play(window: FaultWindow): Promise<Outcome> {
  await window.open();
  let isOpen = true;
  try {
    await REACH[window.cell.moment](window);
    const seen = transcript(window);
    const outcome = await getOn(window);
    // The last entry may have grown meanwhile.
    const finished = seen.slice(0, -1);
    assert.deepEqual(transcript(window).slice(0, finished.length), finished, 'the transcript keeps what was there');
    const { id } = window.session;
    const whole = transcript(window);
    isOpen = false;
    await window.close();
    await window.open();
    isOpen = true;
    await window.show(id);
    // A canceled script may have sent more meanwhile.
    const again = transcript(window).slice(0, whole.length);
    assert.deepEqual(again.slice(0, -1), whole.slice(0, -1), 'the transcript opens again as it was');
    assert.ok(again.at(-1)?.startsWith(whole.at(-1) ?? ''), 'the end of the transcript opens again as it was');
    return outcome;
  } finally {
    if (isOpen) await window.close();
  }
}

async function assertNothingRuns(mark: string): Promise<void> {
  const end = performance.now() + END_LIMIT_MS;
  let left = marked(mark);
  while (left.length > 0 && performance.now() < end) {
    await after(20);
    left = marked(mark);
  }
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  assert.deepEqual(left, [], 'processes that are left');
}

/** Processes that have the variable of the cell. Only Linux shows the environment of a process. */
function marked(mark: string): { pid: number; command: string }[] {
  if (process.platform !== 'linux') return [];
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.filter((pid) => read(pid, 'environ').split('\0').includes(`${MARK}=${mark}`));
  return found.map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ') }));
}

function holdings(): Holdings {
  const resources = process
    .getActiveResourcesInfo()
    .filter((name) => !/Timeout|Immediate|CloseReq|^FS|^Zlib/.test(name));
  const files = readdirSync(tmpdir()).filter((name) => name.startsWith('parley-'));
  return { resources: resources.toSorted(), files: files.toSorted(), heap: process.memoryUsage().heapUsed };
}

async function assertReturned(before: Holdings): Promise<void> {
  const end = performance.now() + END_LIMIT_MS;
  let now = holdings();
  while (!isReturned(now, before) && performance.now() < end) {
    await after(50);
    // A collection takes a tenth of a second: only when the heap could be too large.
    if (hasGrown(now, before)) collectGarbage();
    now = holdings();
  }
  assert.deepEqual(added(now.resources, before.resources), [], 'sockets, pipes, processes and listeners that are left');
  assert.deepEqual(added(now.files, before.files), [], 'temporary files that are left');
  assert.ok(now.heap - before.heap < HEAP_LIMIT, `the heap has grown by ${now.heap - before.heap} bytes`);
}

function isReturned(now: Holdings, before: Holdings): boolean {
  const more = [...added(now.resources, before.resources), ...added(now.files, before.files)];
  return more.length === 0 && !hasGrown(now, before);
}

function hasGrown(now: Holdings, before: Holdings): boolean {
  return now.heap - before.heap >= HEAP_LIMIT;
}

/** Resources that occur more often in `now` than in `before`. Those of an earlier cell may end meanwhile. */
function added(now: readonly string[], before: readonly string[]): string[] {
  const left = [...before];
  return now.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const TEMPORARY = ['TMPDIR', 'TEMP', 'TMP'];

/**
 * Creates a separate temporary folder, so that files of other programs are not counted.
 * @returns Function that removes it.
 */
export function useTemporaryFolder(): () => void {
  const before = TEMPORARY.map((name) => [name, process.env[name]] as const);
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  for (const name of TEMPORARY) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Loads the libraries, which then stay in memory. */
export async function warmUp(): Promise<void> {
  const window = new FaultWindow({ fault: 'garbage', moment: 'mcpCall' });
  await play(window);
  window.remove();
}
