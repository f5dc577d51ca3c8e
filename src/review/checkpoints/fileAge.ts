import { lstat } from 'node:fs/promises';

const PARALLEL = 64;

/**
 * Of these files, those that were made before a moment, under this name or another. A file that a snapshot lacks and that is older was
 * left out of it: for its size, or by ignore rules that somebody has changed since. It is nobody's creation, and never to be deleted.
 * @param paths absolute
 * @param at milliseconds since 1970
 */
export async function createdBefore(paths: readonly string[], at: number): Promise<ReadonlySet<string>> {
  const older = new Set<string>();
  for (let from = 0; from < paths.length; from += PARALLEL) {
    const some = paths.slice(from, from + PARALLEL).map(async (path) => {
      const info = await lstat(path).catch(() => undefined);
      // Where the file system does not keep when files were made.
      const born = info && (info.birthtimeMs || info.ctimeMs);
      if (born !== undefined && born < at) older.add(path);
    });
    await Promise.all(some);
  }
  return older;
}

/** True when ignore rules are among these files. */
export function includesGitignore(paths: readonly string[]): boolean {
  return paths.some((path) => /(?:^|[\\/])\.gitignore$/.test(path));
}
