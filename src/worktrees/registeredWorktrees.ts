import { lstat, readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { settlesWithin } from '../base/async';
import { ParleyError, errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import { isFolder } from '../node/fs/moveAside';
import { readPlainFile } from '../node/fs/overwriteFile';
import type { Git, GitCall } from '../node/gitCommand';
import { ASIDE } from './worktreeRecord';
import type { WorktreeRecord } from './worktreeRecord';

/** Milliseconds after which a folder counts as existing: a computer that does not answer may answer later. */
const LOCATE_DEADLINE_MS = 5_000;
/** Bytes of a file that holds one path. */
const MAX_LINK = 64 * 1024;

/** A worktree as the repository lists it. */
interface ListedWorktree {
  readonly path: string;
  /** Undefined for a detached HEAD. */
  readonly branch: string | undefined;
  /** The checked-out commit; undefined on a branch without one, and if the folder is gone. */
  readonly head: string | undefined;
}

/** A git call on the files of a worktree that its repository lists. */
export interface ListedCall extends GitCall {
  /** The worktree's folder in its repository. */
  readonly gitDir: string;
  readonly signal: AbortSignal;
}

/** The worktrees of the repository around a folder. Git prints forward slashes on every platform. */
async function listedWorktrees(git: Git, folder: string, signal: AbortSignal): Promise<readonly ListedWorktree[]> {
  const text = await git.text(['worktree', 'list', '--porcelain'], { cwd: folder, signal });
  return text.split('\n\n').map((block) => {
    const path = /^worktree (.*)$/m.exec(block)?.[1] ?? '';
    const branch = /^branch refs\/heads\/(.*)$/m.exec(block)?.[1];
    const head = /^prunable/m.test(block) ? undefined : /^HEAD (?!0+$)(.*)$/m.exec(block)?.[1];
    return { path: path.split('/').join(sep), branch, head };
  });
}

/** The commits that are checked out in the main folder and in other worktrees of a repository. */
export async function otherHeads(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<readonly string[]> {
  const listed = await listedWorktrees(git, record.repository, signal);
  return listed.flatMap(({ path, head }) => (head === undefined || path === record.path ? [] : head));
}

/**
 * The outdated records, updated with the current folder of their repository and the current name of their branch.
 * @param folders of the window
 */
export async function followRecords(
  git: Git,
  records: readonly WorktreeRecord[],
  folders: readonly string[],
  signal: AbortSignal,
): Promise<readonly WorktreeRecord[]> {
  const found = new Map<string, WorktreeRecord>();
  for (const folder of folders) {
    const paths = new Set((await listedWorktrees(git, folder, signal).catch(() => [])).map(({ path }) => path));
    for (const record of records.filter(({ path }) => paths.has(path))) {
      const located = await locateRepository(git, record, folder, signal).catch(() => record);
      const branch = await presentBranch(git, located, signal).catch(() => record.branch);
      if (located !== record || branch !== record.branch) found.set(record.id, { ...located, branch });
    }
  }
  return [...found.values()];
}

/**
 * The record with the present folder of its repository. Git lists a worktree also after the user has moved the repository, but the files of
 * the worktree name the old folder.
 * @param folder whose repository lists the worktree
 */
async function locateRepository(
  git: Git,
  record: WorktreeRecord,
  folder: string,
  signal: AbortSignal,
): Promise<WorktreeRecord> {
  const repository = await realpath(await git.text(['rev-parse', '--show-toplevel'], { cwd: folder, signal }));
  if (repository === record.repository) return record;
  // A copy of the repository lists its worktrees, too.
  let isMissing = false;
  const checked = isFolder(record.repository).then((is) => (isMissing = !is));
  await settlesWithin(checked, LOCATE_DEADLINE_MS);
  if (!isMissing) return record;
  await git.run(['worktree', 'repair', record.path], { cwd: repository, signal });
  return { ...record, repository };
}

/** The name of a worktree's branch, also after it was renamed: by the agent, or right before a crash. */
export async function presentBranch(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<string> {
  const { repository, path, branch } = record;
  const call = { cwd: repository, signal };
  if ((await tipOf(git, branch, call)) !== '') return branch;
  const now = (await listedWorktrees(git, repository, signal)).find((each) => each.path === path)?.branch;
  if (now === undefined) return branch;
  // The reflog shows whether this branch was renamed, or whether the agent has checked out another branch.
  const log = await git.text(['reflog', 'show', '--format=%gs', `refs/heads/${now}`, '--'], call);
  return log.includes(`Branch: renamed refs/heads/${branch} to `) ? now : branch;
}

/**
 * A git call on the files of a worktree. Does not read its `.git` file, which the agent can change.
 * @throws ParleyError when the folder is gone, or the repository no longer lists the worktree
 */
export async function callIn(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<ListedCall> {
  const { repository, path } = record;
  const nextStep = t('Discard the worktree.');
  if (!(await isFolder(path)))
    throw new ParleyError('folderNotFound', t('The folder {0} of the worktree does not exist', path), { nextStep });
  const call = await callWithoutFiles(git, record, signal);
  if (call) return { ...call, cwd: path, workTree: path };
  throw new ParleyError('notFound', t('{0} is no longer a worktree of {1}', path, repository), { nextStep });
}

/**
 * A git call on what the repository has of a worktree, also after its folder was moved or deleted by hand.
 * @returns undefined if the repository no longer lists the worktree
 */
export async function callWithoutFiles(
  git: Git,
  { repository, path }: WorktreeRecord,
  signal: AbortSignal,
): Promise<ListedCall | undefined> {
  const all = join(await commonFolder(git, repository, signal), 'worktrees');
  for (const name of await readdir(all).catch(() => [])) {
    const gitDir = join(all, name);
    const link = (await readPlainFile(join(gitDir, 'gitdir'), MAX_LINK))?.toString().trim() ?? '';
    // `relative` returns an empty string for equal paths, and ignores case on Windows.
    if (link !== '' && relative(resolve(gitDir, link), join(path, '.git')) === '')
      return { cwd: gitDir, gitDir, workTree: gitDir, isUserRepository: true, signal };
  }
  return undefined;
}

/**
 * The folder that all worktrees of a repository share.
 * @throws ParleyError when the repository is gone: it may be another worktree, which was discarded
 */
export async function commonFolder(git: Git, repository: string, signal: AbortSignal): Promise<string> {
  if (!(await isFolder(repository)))
    throw new ParleyError('folderNotFound', t('The repository {0} of the worktree does not exist', repository), {
      nextStep: t('Discard the worktree.'),
    });
  return resolve(repository, await git.text(['rev-parse', '--git-common-dir'], { cwd: repository, signal }));
}

/**
 * Removes a worktree and its branch from the repository; anything that is already gone is not an error. The folder is
 * renamed, and the caller deletes it. If git fails, the folder gets its name back.
 * @returns false if the repository is missing
 */
export async function removeFromRepository(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<boolean> {
  const { repository, path, branch, head, isReady } = record;
  const call = { cwd: repository, signal };
  if (!(await isRepository(git, repository))) return false;
  const listed = await listedWorktrees(git, repository, signal);
  const isListed = listed.some((each) => each.path === path);
  // The user goes on with the branch, such as in the main folder: git would refuse to delete it.
  const isElsewhere = listed.some((each) => each.path !== path && each.branch === branch);
  const tip = await tipOf(git, branch, call);
  // A branch of the same name that another window created at the same moment is not ours.
  const isOurs = tip !== '' && (isReady || tip === head);
  const aside = await moveAside(path);
  try {
    if (!isListed && isOurs) await git.run(['branch', '-D', '--quiet', '--', branch], call);
    if (isListed) await removeListed(git, record, isOurs && !isElsewhere ? tip : undefined, call);
    return true;
  } catch (error) {
    if (aside !== undefined) await putBack(aside, path).catch(() => undefined);
    throw error;
  }
}

/**
 * The branch first: if another git has locked it, nothing is lost.
 * @param tip of the branch; undefined if it stays
 */
async function removeListed(
  git: Git,
  { path, branch }: WorktreeRecord,
  tip: string | undefined,
  call: GitCall,
): Promise<void> {
  const name = `refs/heads/${branch}`;
  // `git branch -D` refuses to delete the branch of a worktree. A symbolic reference is another name of a branch of the user.
  if (tip !== undefined) await git.run(['update-ref', '--no-deref', '-d', name, tip], call);
  try {
    await removeRegistration(git, path, call);
  } catch (error) {
    if (tip !== undefined) await git.run(['update-ref', '--no-deref', name, tip], call).catch(() => undefined);
    throw error;
  }
  // Description and upstream; there may be none.
  await git
    .run(['config', '--remove-section', `branch.${branch}`], { ...call, accept: [0, 128] })
    .catch(() => undefined);
}

/** Tries while a program of the user creates the folder again, such as a compiler that watches its files. */
const MAX_TRIES = 5;

/** Git refuses to remove a worktree whose `.git` file was changed, but accepts one whose folder is gone. */
async function removeRegistration(git: Git, path: string, call: GitCall, tries = MAX_TRIES): Promise<void> {
  try {
    await git.run(['worktree', 'remove', '--force', '--force', path], call);
  } catch (error) {
    if (tries === 1 || (await moveAside(path)) === undefined) throw error;
    await removeRegistration(git, path, call, tries - 1);
  }
}

/** @returns where the folder is now; undefined if the path does not exist */
async function moveAside(path: string): Promise<string | undefined> {
  if (!(await lstat(path).catch(() => undefined))) return undefined;
  const aside = await freeName(join(dirname(path), ASIDE));
  await rename(path, aside);
  return aside;
}

async function putBack(aside: string, path: string): Promise<void> {
  // What has come since has not been seen by the user.
  if (await lstat(path).catch(() => undefined)) await rename(path, await freeName(path));
  await rename(aside, path);
}

async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!(await lstat(name).catch(() => undefined))) return name;
  }
}

/** The commit of a branch; empty where there is none. */
function tipOf(git: Git, branch: string, call: GitCall): Promise<string> {
  return git.text(['rev-parse', '--quiet', '--verify', `refs/heads/${branch}`], { ...call, accept: [0, 1] });
}

/**
 * False if the user has deleted the repository, even if a parent folder belongs to another repository.
 * @throws ParleyError when git fails otherwise
 */
async function isRepository(git: Git, folder: string): Promise<boolean> {
  if (!(await isFolder(folder))) return false;
  try {
    return (await realpath(await git.text(['rev-parse', '--show-toplevel'], { cwd: folder }))) === folder;
  } catch (error) {
    if (errorMessage(error).includes('not a git repository')) return false;
    throw error;
  }
}
