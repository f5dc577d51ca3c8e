import { SerialQueue } from '../base/async';
import type { JsonObject } from '../base/json';
import { asArray, asNumber, asObject, asString } from '../base/json';
import { t } from '../base/l10n';
import { SharedJsonFile } from '../node/fs/sharedJsonFile';
import type { Cost } from '../shared/state/usageState';

/** A file with more currencies, or larger amounts, is damaged. */
const MAX_CURRENCIES = 8;
const MAX_AMOUNT = 1e9;
/** Days that are kept before the current one. */
const MAX_DAYS = 2;

/** The cost of a currency before and after an addition. */
interface CostChange {
  readonly before: number;
  readonly after: number;
}

/** What agents reported as cost today, by currency, summed over the sessions of all windows. */
export class DailyCost {
  readonly #file: SharedJsonFile<JsonObject>;
  /** Additions of this window, written one after the other. */
  readonly #writing = new SerialQueue();

  /**
   * @param file absolute; shared by all windows
   * @param now milliseconds since 1970
   */
  constructor(
    file: string,
    private readonly now: () => number,
  ) {
    this.#file = new SharedJsonFile(file, asObject, t('the cost of today'));
  }

  /** @throws system errors */
  add({ amount, currency }: Cost): Promise<CostChange> {
    return this.#writing.run(() => this.#add(amount, currency));
  }

  /**
   * The sums of today, after the additions of this window.
   * @throws system errors
   */
  async sums(): Promise<readonly Cost[]> {
    await this.#writing.idle();
    const sums = parseSums(await this.#file.read(), dayOf(this.now()));
    return Array.from(sums, ([currency, amount]) => ({ currency, amount }));
  }

  async #add(amount: number, currency: string): Promise<CostChange> {
    let change: CostChange = { before: 0, after: amount };
    await this.#file.change((there) => {
      const day = dayOf(this.now());
      const sums = parseSums(there, day);
      const before = sums.get(currency) ?? 0;
      change = { before, after: before + amount };
      sums.set(currency, change.after);
      const earlier = earlierDays(there, day);
      return { day, sums: toFields(sums), ...(earlier.length > 0 && { earlier }) };
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

/** The sums of a day. Those of later days belong to it too: the clock was ahead. */
function parseSums(value: unknown, day: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const one of daysOf(value)) {
    if (one.day < day) continue;
    for (const [currency, amount] of one.sums) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  return new Map([...sums].slice(-MAX_CURRENCIES));
}

/** The last days before a day, newest last, for a clock that is ahead now and set back later. */
function earlierDays(value: unknown, day: string): readonly object[] {
  const earlier = daysOf(value).filter((one) => one.day < day);
  return earlier.slice(-MAX_DAYS).map((one) => ({ day: one.day, sums: toFields(one.sums) }));
}

function toFields(sums: ReadonlyMap<string, number>): object {
  return Object.fromEntries([...sums].slice(-MAX_CURRENCIES));
}

interface DaySums {
  readonly day: string;
  readonly sums: ReadonlyMap<string, number>;
}

function daysOf(value: unknown): readonly DaySums[] {
  return [...asArray(asObject(value)?.['earlier']), value].flatMap((each) => parseDay(each) ?? []);
}

function parseDay(value: unknown): DaySums | undefined {
  const fields = asObject(value);
  const day = asString(fields?.['day']);
  if (day === undefined) return undefined;
  const entries = Object.entries(asObject(fields?.['sums']) ?? {}).map(([name, sum]) => [name, asNumber(sum)] as const);
  const isValid = (entry: readonly [string, number | undefined]): entry is readonly [string, number] =>
    entry[1] !== undefined && entry[1] >= 0 && entry[1] <= MAX_AMOUNT;
  return { day, sums: new Map(entries.filter(isValid).slice(-MAX_CURRENCIES)) };
}
