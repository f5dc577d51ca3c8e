import { compileGlob } from '../../base/glob';

/**
 * For paths relative to their workspace folder.
 * @param globs as in `files.exclude`; of a workspace, too
 * @returns whether a path, or a folder of the path, is excluded; not if that takes too long to find out
 */
export function excludedPaths(globs: readonly string[]): (path: string) => boolean {
  const compiled = globs.map((pattern) => compileGlob(pattern));
  const matches = (path: string): boolean => compiled.some((glob) => glob(path) === true);
  return (path) => {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
      if (matches(path.slice(0, end))) return true;
    return matches(path);
  };
}
