/** Ends an exhaustive `switch`: a compile error when a case is missing, an exception when untyped data reaches it. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** Returns the value, or throws naming what was expected. */
export function assertDefined<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`Missing ${what}`);
  return value;
}
