// Protected by test/unit/review/nestedRepositories.test.ts: nested repositories are under review, and restored.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ParleyError, isCancellation, isMissingPath } from '../../base/errors';
import { t } from '../../base/l10n';
import { beyondLinks } from '../../node/fs/pinnedFolder';
import type { Git, GitCall } from '../../node/gitCommand';
import { isNameInFolder } from '../../node/indexNames';

/** Bytes; checkpoints skip larger files. */
export const MAX_FILE = 10 * 1024 * 1024;
/** Bytes added by one snapshot; folders with more (a home folder, a data set) are not suitable for git. */
const MAX_NEW = 512 * 1024 * 1024;
const MAX_NEW_FILES = 150_000;
/** Files per git call, so that a canceled snapshot has done part of the work for the next. */
const FILES_PER_CALL = 2_000;
const PARALLEL_STATS = 64;

/** Removes paths from the index, not from disk. */
export async function removeEntries(git: Git, call: GitCall, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `${path}\0`).join('');
  await git.run(['update-index', '--force-remove', '-z', '--stdin'], { ...call, input });
}

/**
 * Updates our index from files on disk, and removes missing ones.
 * @param folder for errors
 * @param paths relative to `call.cwd`, with forward slashes
 * @returns skipped files: too large, or unreadable
 */
export async function updateIndexWith(
  git: Git,
  call: GitCall,
  folder: string,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length > MAX_NEW_FILES) throw tooMuch(folder);
  const omitted: string[] = [];
  let bytes = 0;
  for (let at = 0; at < paths.length; at += FILES_PER_CALL) {
    const batch = await withSizes(call.cwd, paths.slice(at, at + FILES_PER_CALL));
    const large = batch.filter(({ size }) => size > MAX_FILE).map(({ path }) => path);
    bytes += batch.reduce((sum, { size }) => sum + (size > MAX_FILE ? 0 : size), 0);
    if (bytes > MAX_NEW) throw tooMuch(folder);
    const beyond = await beyondLinks(batch.map(({ path }) => join(call.cwd, path)));
    const gone = batch.filter(({ path, isSpecial }) => isSpecial || beyond.has(join(call.cwd, path)));
    const removed = gone.map(({ path }) => path);
    // git neither adds nor removes what was in a folder that is a link now.
    await removeEntries(git, call, [...large, ...removed]);
    const out = new Set([...large, ...removed]);
    const small = batch.map(({ path }) => path).filter((path) => !out.has(path));
    const unreadable = await update(git, call, small);
    // Their entries have an earlier content. Git removes no names outside of the folder.
    await removeEntries(git, call, unreadable.filter(isNameInFolder));
    omitted.push(...large, ...unreadable);
  }
  return omitted;
}

/**
 * One unreadable file fails the whole call: then each file is tried separately.
 * @returns unreadable files
 */
async function update(git: Git, call: GitCall, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  try {
    const input = paths.map((path) => `${path}\0`).join('');
    await git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { ...call, input });
    return [];
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (paths.length === 1) return [...paths];
    const half = Math.ceil(paths.length / 2);
    return [...(await update(git, call, paths.slice(0, half))), ...(await update(git, call, paths.slice(half)))];
  }
}

interface Sized {
  readonly path: string;
  /** Bytes of a file; infinite where nobody knows. */
  readonly size: number;
  /** A pipe, socket or device: no file is there. */
  readonly isSpecial: boolean;
}

async function withSizes(top: string, paths: readonly string[]): Promise<Sized[]> {
  const found: Sized[] = [];
  for (let at = 0; at < paths.length; at += PARALLEL_STATS) {
    const some = paths.slice(at, at + PARALLEL_STATS).map(async (path) => {
      const info = await lstat(join(top, path)).catch(isMissingPath);
      if (typeof info === 'boolean') return { path, size: info ? 0 : Infinity, isSpecial: false };
      const isSpecial = !info.isFile() && !info.isDirectory() && !info.isSymbolicLink();
      return { path, size: info.isFile() ? info.size : 0, isSpecial };
    });
    found.push(...(await Promise.all(some)));
  }
  return found;
}

function tooMuch(folder: string): ParleyError {
  const message = t(
    '{0} exceeds the checkpoint limit ({1} MiB or {2} untracked files).',
    folder,
    MAX_NEW / 1024 / 1024,
    MAX_NEW_FILES,
  );
  return new ParleyError('badInput', message, { nextStep: t('Open a smaller folder, or add a .gitignore.') });
}
