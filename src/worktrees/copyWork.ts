import { constants, existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapLimited } from '../base/async';
import { ParleyError, systemErrorCode } from '../base/errors';
import { compileGlob } from '../base/glob';
import { t } from '../base/l10n';
import { isInside, pathExists } from '../node/fs/realPaths';
import type { Git } from '../node/gitCommand';
import type { GitRepository } from './gitRepository';
import { MAX_UNTRACKED } from './largeFiles';

/** Folders that `parley.worktrees.link` may link. */
const MAX_LINKS = 100;
/** Ignored files that `parley.worktrees.include` may copy. */
const MAX_IGNORED = 10_000;
const PARALLEL_COPIES = 16;

/** Error codes for a source file that no longer exists, or that belongs to another user. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['ENOENT', 'EACCES', 'EPERM']);

/** Files of the work tree that differ from the commit, relative to its top folder. */
interface Work {
  readonly deleted: readonly string[];
  readonly tracked: readonly string[];
  readonly untracked: readonly string[];
}

const NO_WORK: Work = { deleted: [], tracked: [], untracked: [] };

/** Globs of what git ignores. */
interface IgnoredGlobs {
  /** Files to copy. */
  readonly include: readonly string[];
  /** Folders to link. */
  readonly link: readonly string[];
}

/** Relative paths. */
interface CopiedWork {
  /** Left out. */
  readonly skipped: readonly string[];
  /** Copied files that git ignores. */
  readonly ignored: readonly string[];
  /** Folders that are links to those of the user. */
  readonly links: readonly string[];
}

/**
 * Copies the user's uncommitted and untracked work into a new worktree, and removes deleted files there.
 * @param isSameCommit whether the worktree starts from the user's commit; otherwise it gets only ignored files and links
 */
export async function copyWork(
  git: Git,
  repository: GitRepository,
  path: string,
  { include, link }: IgnoredGlobs,
  isSameCommit: boolean,
  signal: AbortSignal,
): Promise<CopiedWork> {
  const { top, settings } = repository;
  const linkable = await ignoredFolders(git, top, settings, link, signal);
  const { deleted, tracked, untracked } = isSameCommit ? await workOf(git, repository, signal) : NO_WORK;
  const ignored = (await ignoredFiles(git, top, settings, include, signal)).filter(
    (name) => !linkable.some((folder) => name.startsWith(`${folder}/`)),
  );
  for (const name of deleted) await rm(join(path, name), { recursive: true, force: true });
  const skipped: string[] = [];
  const names = [
    ...tracked.map((name) => ({ name, max: Infinity })),
    ...[...untracked, ...ignored].map((name) => ({ name, max: MAX_UNTRACKED })),
  ];
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  // Never rejects before all copies have ended: none may write after the caller has removed the worktree.
  await mapLimited(names, PARALLEL_COPIES, async ({ name, max }) => {
    if (stop.aborted) return;
    const isCopied = await copyOne(top, path, name, max).catch((error: unknown) => failed.abort(error));
    if (isCopied === false) skipped.push(name);
  });
  stop.throwIfAborted();
  const links: string[] = [];
  for (const name of linkable) if (await linkOne(top, path, name)) links.push(name);
  return { skipped: skipped.toSorted(), ignored: ignored.filter((name) => !skipped.includes(name)), links };
}

async function workOf(git: Git, { top, head, settings, filtered }: GitRepository, signal: AbortSignal): Promise<Work> {
  const call = { cwd: top, signal };
  const diff = [
    ...settings,
    'diff-index',
    '-z',
    '--name-status',
    '--no-renames',
    '--ignore-submodules=all',
    head,
    '--',
  ];
  const changes = await git.fields(diff, call);
  const deleted: string[] = [];
  const tracked = new Set<string>();
  for (let at = 0; at + 1 < changes.length; at += 2) {
    const name = changes[at + 1] ?? '';
    if (changes[at] === 'D') deleted.push(name);
    else tracked.add(name);
  }
  for (const name of await hiddenFiles(git, top, signal)) {
    if (await pathExists(join(top, name))) tracked.add(name);
  }
  // These files were checked out without their filters, so the user's files replace them.
  for (const name of filtered) if (!deleted.includes(name)) tracked.add(name);
  const untracked = await git.fields([...settings, 'ls-files', '-z', '--others', '--exclude-standard'], call);
  return { deleted, tracked: [...tracked], untracked };
}

/** Files that git does not compare with the disk: skip-worktree, as in a sparse checkout, or assume-unchanged. */
async function hiddenFiles(git: Git, top: string, signal: AbortSignal): Promise<readonly string[]> {
  const fields = await git.fields(['ls-files', '-v', '-z', '--full-name'], { cwd: top, signal });
  // `<tag> <path>`: a lower-case tag is assume-unchanged (git-ls-files, options).
  return fields.flatMap((field) => /^[a-zS] ([\s\S]+)$/.exec(field)?.[1] ?? []);
}

/**
 * The paths of a glob of `parley.worktrees.include` or `.link`, relative to the top folder; none for an empty glob. As in a `.gitignore`
 * file, a glob without a slash applies in every folder, and one that begins with a slash only in the top folder.
 */
function toGlobs(glob: string): readonly string[] {
  const isFromTop = /^\.?\//.test(glob);
  const path = glob.replace(/^\.?\/+|\/+$/g, '');
  // Git would take `**/..` for the whole repository.
  if (path === '' || path.split('/').includes('..')) return [];
  return [isFromTop || path.includes('/') ? path : `**/${path}`];
}

/** Ignored files that match a glob. */
async function ignoredFiles(
  git: Git,
  top: string,
  settings: readonly string[],
  include: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths = include.flatMap(toGlobs).map((glob) => `:(glob)${glob}`);
  if (paths.length === 0) return [];
  const args = [...settings, 'ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--', ...paths];
  const found = await git.fields(args, { cwd: top, signal, hasPlainPaths: true });
  if (found.length > MAX_IGNORED)
    throw new ParleyError(
      'badInput',
      t('“parley.worktrees.include” matches {0} files; at most {1} can be copied', found.length, MAX_IGNORED),
      {
        nextStep: t('Use narrower glob patterns.'),
      },
    );
  return found;
}

/** Ignored folders without tracked files that match a glob, outermost only and without a slash at the end. */
async function ignoredFolders(
  git: Git,
  top: string,
  settings: readonly string[],
  link: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const globs = link.flatMap(toGlobs).map((pattern) => compileGlob(pattern));
  if (globs.length === 0) return [];
  // With a glob, git also lists folders in which it could match.
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const found = await git.fields([...settings, ...list], { cwd: top, signal });
  const folders = found
    .flatMap((name) => (name.endsWith('/') ? name.slice(0, -1) : []))
    .filter((name) => globs.some((matches) => matches(name) === true));
  if (folders.length > MAX_LINKS)
    throw new ParleyError(
      'badInput',
      t('“parley.worktrees.link” matches {0} folders; at most {1} can be linked', folders.length, MAX_LINKS),
      { nextStep: t('Use narrower glob patterns.') },
    );
  return folders.filter((name) => !folders.some((other) => name.startsWith(`${other}/`)));
}

/** False if the worktree has something at this path, or a link above it. */
async function linkOne(from: string, to: string, name: string): Promise<boolean> {
  const [source, target] = [join(from, name), join(to, name)];
  if (!(await lstat(source).catch(() => undefined))?.isDirectory() || (await pathExists(target))) return false;
  await mkdir(dirname(target), { recursive: true });
  if (!isInside(await realpath(to), await realpath(dirname(target)))) return false;
  // On Windows, a junction needs no privilege.
  await symlink(source, target, 'junction');
  return true;
}

/** False if the file is left out: too large, a nested repository, a pipe, or unreadable. */
async function copyOne(from: string, to: string, name: string, max: number): Promise<boolean> {
  const source = join(from, name);
  const info = await lstat(source).catch(() => undefined);
  // Deleted meanwhile, or a name that is not UTF-8.
  if (!info) return !name.includes('\uFFFD');
  if (!info.isSymbolicLink() && (!info.isFile() || info.size > max)) return false;
  const target = join(to, name);
  await mkdir(dirname(target), { recursive: true });
  // The commit may hold a link where the user has a folder now.
  if (!isInside(await realpath(to), await realpath(dirname(target)))) return false;
  // The target may also be an empty folder whose files were deleted.
  await rm(target, { recursive: true, force: true });
  try {
    if (info.isSymbolicLink()) await symlink(await readlink(source), target);
    else await copyFile(source, target, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (!UNREADABLE.has(systemErrorCode(error))) throw error;
    return !existsSync(source);
  }
}
