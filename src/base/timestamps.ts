/** The largest time value of `Date`, in milliseconds since 1970; negated, the smallest (ECMA-262: time values). */
const MAX_TIME_MS = 8.64e15;

/** Whether the value is milliseconds since 1970 within the range of `Date`. */
export function isValidTimestamp(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;
}

/** The time as ISO 8601; undefined outside the range of `Date`, where `toISOString` throws. */
export function toIsoTimestamp(at: number): string | undefined {
  return isValidTimestamp(at) ? new Date(at).toISOString() : undefined;
}

/** A time as "14:02", in every language: for `toLocaleTimeString` and `Intl`. */
export const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
