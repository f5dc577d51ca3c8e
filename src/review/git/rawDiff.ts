/** `--raw -z` writes header and path in turn. */
export function toPairs(fields: readonly string[]): { header: string; path: string }[] {
  const found: { header: string; path: string }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    found.push({ header: fields[at] ?? '', path: fields[at + 1] ?? '' });
  }
  return found;
}

/** A difference of two trees. Objects and modes as git writes them, zeros for a missing file. */
export interface TreeDifference {
  readonly path: string;
  readonly before: { readonly mode: string; readonly object: string };
  readonly after: { readonly mode: string; readonly object: string };
}

/**
 * The output of `diff-tree --raw -z`.
 * @param toPath converts a name
 */
export function toDifferences(fields: readonly string[], toPath: (name: string) => string): TreeDifference[] {
  return toPairs(fields).map(({ header, path }) => {
    const [from = '', to = '', old = '', fresh = ''] = header.slice(1).split(' ');
    return { path: toPath(path), before: { mode: from, object: old }, after: { mode: to, object: fresh } };
  });
}
