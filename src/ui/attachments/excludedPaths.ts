import picomatch from 'picomatch/posix';

/**
 * For paths relative to their workspace folder.
 * @param globs as in `files.exclude`
 * @returns whether a path, or a folder of the path, is excluded
 */
export function excludedPaths(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const matches = picomatch([...globs], { dot: true, nonegate: true });
  return (path) => {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
      if (matches(path.slice(0, end))) return true;
    return matches(path);
  };
}
