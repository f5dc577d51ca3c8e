import type { Clock } from '../../base/clock';
import { asNumber, asObject, parseJson } from '../../base/json';
import { writeFileAtomic } from './atomicWrite';
import { readIfThere } from './readIfThere';

const DAY_MS = 86_400_000;
/** Milliseconds by which the clock may be ahead of the last look, beyond the time that has passed for sure: a weekend. */
const MAX_STEP_MS = 2 * DAY_MS;
/** Milliseconds by which it may be behind. */
const MAX_BACK_MS = 60_000;
/**
 * Milliseconds of a wait that may have passed between two windows. Nothing proves them: at each start the clock may have
 * been set again. With them, a store that is looked at once in months ages at the third look. Less than a day, so that
 * two starts with two wrong clocks delete nothing.
 */
const MAX_CLOSED_MS = DAY_MS / 2;

/** Milliseconds since 1970: an earlier time is of a clock that was not set, as on a computer that starts without a battery. */
const FIRST_BELIEVED_MS = 30 * DAY_MS;

/** Whether something is older than that. An age that nobody knows is none. */
export function isExpired(at: number, now: number, maxAge: number): boolean {
  return at >= FIRST_BELIEVED_MS && now - at > maxAge;
}

/** A stored thing that is deleted at some age. */
interface Aging {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** It is never deleted because of age. */
  readonly isExempt?: boolean;
}

interface StoreTime {
  /** Milliseconds since 1970, to compare ages with; -Infinity while nothing may be deleted because of age. */
  readonly now: number;
  /** Number of things that are too old by the computer's clock, and wait for a day from now; 0 in later looks. */
  readonly waiting: number;
}

interface Seen {
  /** The time of the last look, as far as it is believed. */
  readonly seen?: number | undefined;
  /** Milliseconds for which the clock has been far from it, or much too old at once. */
  readonly waited?: number | undefined;
  /** What the clock showed at the last look of a wait. */
  readonly last?: number | undefined;
  /** Whether the clock is behind. */
  readonly isBehind?: boolean;
}

/**
 * The time by which a store ages. The computer's clock can be set to any time, and what is deleted is lost: a clock that
 * is far from the last look is believed after a day, and so is one by which more than half is too old at once. The day
 * is counted by a monotonic clock while a window is open.
 */
export class StoreClock {
  /** Of the monotonic clock: the last look, or the start. */
  #lookedAt: number;
  /** The time of the last look of this window. */
  #now: number | undefined;
  #memory: Seen = {};

  /** @param file absolute, for the time of the last look; undefined keeps it in memory only */
  constructor(
    private readonly file: string | undefined,
    private readonly clock: Clock,
  ) {
    this.#lookedAt = clock.elapsed();
  }

  /** The time for something new, which a clock that was set back does not make old. Never rejects. */
  async stamp(): Promise<number> {
    const { seen = 0 } = await this.#read();
    return Math.max(this.clock.now(), Math.floor(seen + this.clock.elapsed() - this.#lookedAt));
  }

  /**
   * Looks at the clock before a store deletes what is too old. Never rejects.
   * @param all everything in the store
   * @param maxAge milliseconds
   */
  async look(all: readonly Aging[], maxAge: number): Promise<StoreTime> {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    const passed = elapsed - this.#lookedAt;
    const before = await this.#read();
    if (all.length === 0 && before.seen === undefined) return { now, waiting: 0 };
    const seen = Math.floor((before.seen ?? (newestOf(all) || now)) + passed);
    const near = Math.min(now, seen + MAX_STEP_MS);
    const isBehind = now < seen - MAX_BACK_MS;
    const countExpired = (time: number): number =>
      all.filter(({ at, isExempt }) => isExempt !== true && isExpired(at, time, maxAge)).length;
    const isMuch = (time: number): boolean => countExpired(time) * 2 > all.length;
    const waited = this.#waited(before, now, passed, isBehind);
    [this.#now, this.#lookedAt] = [now, elapsed];
    const isOdd = isBehind || now > near || isMuch(now);
    if (!isOdd || (waited ?? 0) >= DAY_MS) {
      await this.#write({ seen: now });
      return { now, waiting: 0 };
    }
    await this.#write({ seen: now > near || isBehind ? seen : now, waited: waited ?? 0, last: now, isBehind });
    return {
      now: isMuch(near) ? -Infinity : near,
      waiting: waited === undefined && isMuch(now) ? countExpired(now) : 0,
    };
  }

  /**
   * Milliseconds of the wait so far, or undefined when it begins, again after the clock was set.
   * @param passed milliseconds for sure, since the last look of this window or its start
   */
  #waited({ waited, last, isBehind }: Seen, now: number, passed: number, isBehindNow: boolean): number | undefined {
    const hasJumped = now > (this.#now ?? now) + passed + MAX_STEP_MS;
    if (waited === undefined || last === undefined || hasJumped) return undefined;
    if (now < last - MAX_BACK_MS || isBehindNow !== isBehind) return undefined;
    const most = passed + (this.#now === undefined ? MAX_CLOSED_MS : 0);
    // Another window may have counted a part of it.
    return waited + Math.min(Math.max(now - last, 0), most);
  }

  async #read(): Promise<Seen> {
    const bytes = this.file === undefined ? undefined : await readIfThere(this.file).catch(() => undefined);
    const fields = bytes && asObject(parseJson(bytes.toString()));
    if (!fields) return this.#memory;
    return {
      seen: asNumber(fields['seen']),
      waited: asNumber(fields['waited']),
      last: asNumber(fields['last']),
      isBehind: fields['isBehind'] === true,
    };
  }

  async #write(seen: Seen): Promise<void> {
    this.#memory = seen;
    // A full disk: this window still knows it.
    if (this.file !== undefined) await writeFileAtomic(this.file, JSON.stringify(seen)).catch(() => undefined);
  }
}

function newestOf(all: readonly Aging[]): number {
  return all.reduce((newest, { at }) => Math.max(newest, at), 0);
}
