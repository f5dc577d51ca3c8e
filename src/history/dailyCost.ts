import { SerialQueue } from '../base/async';
import { asNumber, asObject } from '../base/json';
import type { SharedJsonFile } from '../node/fs/sharedJsonFile';
import type { Cost } from '../shared/state/usageState';

/** A file with more currencies, or larger amounts, is damaged. */
const MAX_CURRENCIES = 8;
const MAX_AMOUNT = 1e9;

/** The cost of a currency before and after an addition. */
interface CostChange {
  readonly before: number;
  readonly after: number;
}

/** What agents reported as cost today, by currency, summed over the sessions of all windows. */
export class DailyCost {
  readonly #file: SharedJsonFile;
  readonly #now: () => number;
  /** Additions of this window, written one after the other. */
  readonly #writing = new SerialQueue();

  /** @param now milliseconds since 1970 */
  constructor(file: SharedJsonFile, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** @throws system errors */
  add({ amount, currency }: Cost): Promise<CostChange> {
    return this.#writing.run(() => this.#add(amount, currency));
  }

  /**
   * The sums of today, after the additions of this window.
   * @throws system errors, and SyntaxError when the file is damaged
   */
  async sums(): Promise<readonly Cost[]> {
    await this.#writing.idle();
    const sums = parseSums(await this.#file.read(), dayOf(this.#now()));
    return Array.from(sums, ([currency, amount]) => ({ currency, amount }));
  }

  async #add(amount: number, currency: string): Promise<CostChange> {
    let change: CostChange = { before: 0, after: amount };
    await this.#file.change((there) => {
      const day = dayOf(this.#now());
      const sums = parseSums(there, day);
      const before = sums.get(currency) ?? 0;
      change = { before, after: before + amount };
      sums.set(currency, change.after);
      return { day, sums: Object.fromEntries([...sums].slice(-MAX_CURRENCIES)) };
    });
    return change;
  }
}

/** The day of the user's time zone: "2026-11-23". */
function dayOf(at: number): string {
  const date = new Date(at);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Empty for another day. */
function parseSums(value: unknown, day: string): Map<string, number> {
  const fields = asObject(value);
  if (fields?.['day'] !== day) return new Map();
  const entries = Object.entries(asObject(fields['sums']) ?? {}).map(([name, sum]) => [name, asNumber(sum)] as const);
  const isValid = (entry: readonly [string, number | undefined]): entry is readonly [string, number] =>
    entry[1] !== undefined && entry[1] >= 0 && entry[1] <= MAX_AMOUNT;
  return new Map(entries.filter(isValid).slice(-MAX_CURRENCIES));
}
