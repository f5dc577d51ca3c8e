/** The last moment that a `Date` can tell, and with a minus the first; milliseconds since 1970 (ECMA-262: time values). */
const LAST = 8.64e15;

/** Whether this is a moment that has a date; milliseconds since 1970. */
export function isValidTimestamp(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LAST;
}

/** The moment as ISO 8601; undefined for one that has no date, for which `toISOString` throws. */
export function toIsoTimestamp(at: number): string | undefined {
  return isValidTimestamp(at) ? new Date(at).toISOString() : undefined;
}
