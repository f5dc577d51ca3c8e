import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_OPEN_FILES, mapLimited } from '../base/async';
import type { Git, GitCall } from '../node/gitCommand';
import { namesOnDisk } from '../node/indexNames';

/** Bytes; larger files that git does not track are left out. */
export const MAX_UNTRACKED = 100 * 1024 * 1024;
/** Bytes; a larger file is stored when its content is requested: else each look at a growing file would store it again. */
const MAX_STORED = 1024 * 1024;

/** Names of large files that differ from an index. */
export interface LargeFiles {
  readonly hashed: readonly string[];
  /** Too large to be read. */
  readonly leftOut: readonly string[];
}

/**
 * Finds the files that `git add` must not store.
 * @param base the tree of the start
 * @param tracked names that git tracks in the worktree
 * @param ignored those of them that the index may lack
 */
export async function findLargeFiles(
  git: Git,
  settings: readonly string[],
  call: GitCall,
  base: string,
  tracked: readonly string[],
  ignored: readonly string[],
): Promise<LargeFiles> {
  const list = [...settings, 'ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  const { files } = await namesOnDisk(call.cwd, [...(await git.fields(list, call)), ...ignored]);
  const sizes = await mapLimited(files, MAX_OPEN_FILES, (name) => readableSize(join(call.cwd, name)));
  const over = (limit: number): string[] => files.filter((_, at) => (sizes[at] ?? 0) > limit);
  const untracked = new Set(over(MAX_UNTRACKED));
  for (const name of untracked.size > 0 ? tracked : []) untracked.delete(name);
  const ofBase = untracked.size > 0 ? await git.fields(['ls-tree', '-r', '-z', '--name-only', base], call) : [];
  for (const name of ofBase) untracked.delete(name);
  return { hashed: over(MAX_STORED).filter((name) => !untracked.has(name)), leftOut: [...untracked] };
}

/** Takes large files into an index, without their contents. */
export async function hashLargeFiles(
  git: Git,
  settings: readonly string[],
  call: GitCall,
  { hashed, leftOut }: LargeFiles,
): Promise<void> {
  const update = async (how: readonly string[], names: readonly string[]): Promise<void> => {
    const input = names.map((name) => `${name}\0`).join('');
    if (input !== '') await git.run([...settings, 'update-index', ...how, '-z', '--stdin'], { ...call, input });
  };
  await update(['--add', '--remove', '--replace', '--info-only'], hashed);
  await update(['--force-remove'], leftOut);
}

/** Zero for what is no file, or cannot be read: git says so. */
async function readableSize(path: string): Promise<number> {
  const info = await lstat(path).catch(() => undefined);
  if (!info?.isFile() || info.size <= MAX_STORED) return 0;
  return access(path, constants.R_OK).then(
    () => info.size,
    () => 0,
  );
}
