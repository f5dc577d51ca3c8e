import { join, relative } from 'node:path';
import { isInside } from '../../node/fs/realPaths';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';

/** An error or a warning of the editor. */
export interface EditorProblem {
  /** Absolute. */
  readonly path: string;
  readonly severity: number;
  readonly message: string;
}

/**
 * Number of problems of a worktree that its repository does not have in the same file.
 * @param folders of the window, absolute
 * @returns undefined where the editor does not check the worktree, because it is not open as a folder
 */
export function countNewProblems(
  { path, repository }: Pick<WorktreeRecord, 'path' | 'repository'>,
  folders: readonly string[],
  problems: readonly EditorProblem[],
): number | undefined {
  if (!folders.some((folder) => isInside(folder, path) || isInside(path, folder))) return undefined;
  const problemKey = (file: string, { severity, message }: EditorProblem): string =>
    JSON.stringify([file, severity, message]);
  const counts = new Map<string, number>();
  for (const problem of problems) {
    const key = problemKey(problem.path, problem);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let count = 0;
  for (const problem of problems) {
    if (!isInside(path, problem.path)) continue;
    const key = problemKey(join(repository, relative(path, problem.path)), problem);
    const remaining = counts.get(key) ?? 0;
    // Each known problem excludes only one equal problem of the worktree.
    if (remaining > 0) counts.set(key, remaining - 1);
    else count++;
  }
  return count;
}
