import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { ParleyError } from '../base/errors';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import { toDisposable } from '../base/lifecycle';

/** The session is open in another window: two that write into one transcript would destroy it. It can be read here. */
export class OpenElsewhereError extends ParleyError {
  /** Our id of it. */
  readonly session: string;

  constructor(session: string) {
    super('conflict', t('This session is open in another window.'), {
      nextStep: t('Go on with it there, or close it there first.'),
    });
    this.session = session;
  }
}

/** Milliseconds by which clocks may differ about when the computer was started. */
const CLOCK_SLACK = 60_000;

/** Which sessions of a folder this window has. Windows without a folder share one place; where none shares it, nobody else has any. */
export class Claims implements Disposable {
  readonly #folder: string;
  readonly #shared: boolean;
  readonly #mine = new Map<string, { claim: Disposable; users: number }>();

  constructor(folder: string, shared: boolean) {
    this.#folder = folder;
    this.#shared = shared;
  }

  /** Another living window has it. */
  isElsewhere(id: string): boolean {
    return this.#shared && !this.#mine.has(id) && isClaimed(this.#folder, id);
  }

  /** Takes a session for this window, maybe several times; it is let go with the last. @throws OpenElsewhereError */
  take(id: string): Disposable {
    if (!this.#shared) return toDisposable(() => undefined);
    const mine = this.#mine.get(id) ?? { claim: this.#claim(id), users: 0 };
    mine.users += 1;
    this.#mine.set(id, mine);
    return toDisposable(() => {
      mine.users -= 1;
      if (mine.users > 0) return;
      if (this.#mine.get(id) === mine) this.#mine.delete(id);
      mine.claim.dispose();
    });
  }

  /** Lets all of them go. */
  dispose(): void {
    for (const { claim } of this.#mine.values()) claim.dispose();
    this.#mine.clear();
  }

  #claim(id: string): Disposable {
    const claimed = claim(this.#folder, id);
    if (!claimed) throw new OpenElsewhereError(id);
    return claimed;
  }
}

/** Milliseconds in which a claim that was begun is written. */
const WRITING = 2_000;

/**
 * Takes a session for this window, so that no other window brings back the same one and both write into its transcript: windows
 * without a folder share one place. A claim dies with its process. Dispose it to let the session go.
 * @returns undefined when another living window has it; where nothing can be written, no window has anything, and nothing is claimed
 */
export function claim(folder: string, id: string): Disposable | undefined {
  const file = fileOf(folder, id);
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    return toDisposable(() => undefined);
  }
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, `${process.pid} ${startOf(process.pid) ?? ''}`.trim(), { flag: 'wx' });
      return toDisposable(() => letGo(file));
    } catch (error) {
      const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (exists && isClaimed(folder, id)) return undefined;
      // One that is left over, or that found no room on the disk.
      letGo(file);
      if (!exists) return toDisposable(() => undefined);
    }
  }
  return undefined;
}

/** Whether a living window has the session. */
export function isClaimed(folder: string, id: string): boolean {
  const file = fileOf(folder, id);
  try {
    const text = readFileSync(file, 'utf8');
    if (text === '') return statSync(file).mtimeMs > Date.now() - WRITING;
    const [pid, start] = text.split(' ');
    if (!isAlive(Number(pid))) return false;
    // The number may belong to another process after the computer was started anew, or the container.
    if (start !== undefined) return start === startOf(Number(pid));
    return statSync(file).mtimeMs > Date.now() - uptime() * 1000 - CLOCK_SLACK;
  } catch {
    return false;
  }
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.window`);
}

function letGo(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It dies with this process.
  }
}

/** When the process was started, in a unit of the system's own (proc(5): field 22 of `stat`); undefined where that cannot be told. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the program may hold blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
    return fields[19];
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but is not ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
