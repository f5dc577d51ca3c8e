import { lstat } from 'node:fs/promises';

const PARALLEL_STATS = 64;

/**
 * The files that existed before `at`, under any name. Such a file that a snapshot lacks was skipped for its size or by ignore rules changed
 * since; no agent created it, so it must not be deleted.
 * @param paths absolute
 * @param at milliseconds since 1970
 */
export async function createdBefore(paths: readonly string[], at: number): Promise<ReadonlySet<string>> {
  const older = new Set<string>();
  for (let from = 0; from < paths.length; from += PARALLEL_STATS) {
    const some = paths.slice(from, from + PARALLEL_STATS).map(async (path) => {
      const info = await lstat(path).catch(() => undefined);
      // Fallback for file systems without creation times.
      const born = info && (info.birthtimeMs || info.ctimeMs);
      if (born !== undefined && born < at) older.add(path);
    });
    await Promise.all(some);
  }
  return older;
}

export function includesGitignore(paths: readonly string[]): boolean {
  return paths.some((path) => /(?:^|[\\/])\.gitignore$/.test(path));
}
