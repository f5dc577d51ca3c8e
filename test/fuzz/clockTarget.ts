import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { systemClock } from '../../src/base/clock';
import { StoreClock } from '../../src/node/fs/storeClock';
import type { Target } from './target';
import { anyInput } from './target';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MAX_AGE = 30 * DAY;
/** A clock that is ahead by less is believed at once. */
const MAX_STEP = 2 * DAY;

type Step =
  | { readonly kind: 'add' }
  /** The window is open. */
  | { readonly kind: 'work'; readonly hours: number }
  /** All windows are closed. */
  | { readonly kind: 'close'; readonly hours: number }
  /** A wrong clock is wrong otherwise at the next start. */
  | { readonly kind: 'start'; readonly by: number }
  /** The clock is wrong until it is corrected, in less than half a day. */
  | { readonly kind: 'jump'; readonly by: number; readonly after: readonly Step[] };

const hours = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const jump = fc.oneof(
  fc.integer({ min: -60 * DAY, max: 60 * DAY }),
  fc.integer({ min: -20_000 * DAY, max: 20_000 * DAY }),
);
const add = fc.constant<Step>({ kind: 'add' });
const within = fc.oneof(
  add,
  fc.record({ kind: fc.constant('work' as const), hours: hours(3) }),
  fc.record({ kind: fc.constant('close' as const), hours: hours(3) }),
  fc.record({ kind: fc.constant('start' as const), by: jump }),
);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: add },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('work' as const), hours: hours(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), hours: hours(60 * 24) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('jump' as const),
        by: jump,
        after: fc.array<Step>(within, { maxLength: 4 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 30 },
);

interface Stored {
  /** By the clock of the computer. */
  readonly at: number;
  /** In truth. */
  readonly bornAt: number;
  /** Days that were believed at once before it was stored. */
  readonly credit: number;
}

/** A store, its windows, and what is true. */
class World {
  readonly #file: string;
  /** Milliseconds that have really passed. */
  #time = 20_000 * DAY;
  #wrongBy = 0;
  #credit = 0;
  #stored: readonly Stored[] = [];
  #store: StoreClock;

  constructor(file: string) {
    this.#file = file;
    this.#store = this.#open();
  }

  async play(all: readonly Step[]): Promise<void> {
    for (const step of all) await this.#step(step);
  }

  #open(): StoreClock {
    return new StoreClock(this.#file, {
      ...systemClock,
      now: () => this.#time + this.#wrongBy,
      elapsed: () => this.#time,
    });
  }

  async #step(step: Step): Promise<void> {
    if (step.kind === 'add') await this.#add();
    else if (step.kind === 'work') await this.#work(step.hours);
    else if (step.kind === 'close') {
      this.#time += step.hours * HOUR;
      this.#store = this.#open();
      await this.#prune();
    } else if (step.kind === 'start') await this.#start(step.by);
    else await this.#jump(step.by, step.after);
  }

  async #add(): Promise<void> {
    const at = Math.max(await this.#store.stamp(), this.#stored.at(-1)?.at ?? 0);
    this.#stored = [...this.#stored, { at, bornAt: this.#time, credit: this.#credit }];
  }

  async #work(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 6) {
      this.#time += Math.min(left, 6) * HOUR;
      await this.#prune();
    }
  }

  async #start(by: number): Promise<void> {
    if (this.#isUnknown(by)) return;
    this.#wrongBy = by;
    this.#credit += MAX_STEP;
    this.#store = this.#open();
    await this.#prune();
  }

  async #jump(by: number, after: readonly Step[]): Promise<void> {
    if (this.#isUnknown(by)) return;
    // Whether windows were closed before or the clock is wrong now is unknown until the store has waited for a day.
    await this.#work(30);
    this.#wrongBy = by;
    this.#credit += MAX_STEP;
    await this.#prune();
    const again = after.findIndex(({ kind }) => kind === 'start');
    // A third wrong clock in a row may be believed.
    for (const [at, step] of after.entries()) if (step.kind !== 'start' || at === again) await this.#step(step);
    this.#wrongBy = 0;
    await this.#prune();
  }

  /** A store that has never seen a later time cannot know that the clock is behind. */
  #isUnknown(by: number): boolean {
    return by < 0 && this.#stored.length === 0;
  }

  async #prune(): Promise<void> {
    const { now } = await this.#store.look(this.#stored, MAX_AGE);
    for (const { at, bornAt, credit } of this.#stored) {
      if (now - at <= MAX_AGE) continue;
      const age = this.#time - bornAt + this.#credit - credit;
      assert.ok(age >= MAX_AGE, `deleted at the age of ${age / DAY} days`);
    }
    this.#stored = this.#stored.filter(({ at }) => now - at <= MAX_AGE);
  }
}

/** Clocks that jump between any two operations of a store: nothing is deleted before its time. */
export class ClockTarget implements Target {
  readonly name = 'clocks';
  readonly batch = 50;
  #folder = '';

  async open(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'parley-clocks-'));
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  property(): ReturnType<Target['property']> {
    const file = join(this.#folder, 'seen.json');
    return anyInput(
      fc.asyncProperty(steps, async (all) => {
        await rm(file, { force: true });
        await new World(file).play(all);
      }),
    );
  }
}
