/** What differs from our index. Names are relative to the top, with forward slashes. */
export interface Comparison {
  readonly changed: string[];
  /** Absolute. */
  readonly nested: string[];
  /** In our index. */
  readonly known: string[];
  /** See `oddStates`. */
  readonly odd: ReadonlyMap<string, string>;
}

/** `--raw -z` writes header and path in turn. */
export function toPairs(fields: readonly string[]): { header: string; path: string }[] {
  const found: { header: string; path: string }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    found.push({ header: fields[at] ?? '', path: fields[at + 1] ?? '' });
  }
  return found;
}
