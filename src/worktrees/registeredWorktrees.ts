import { lstat, readFile, readdir, realpath, rm } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { ParleyError, errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import type { Git, GitCall } from '../node/git/gitCommand';
import type { WorktreeRecord } from './worktreeRecord';

/**
 * The record with the present folder of its repository. Git lists a worktree also after the user has moved the repository, but the worktree
 * knows only the old folder.
 * @param folders of the window, absolute
 */
export async function locateRepository(
  git: Git,
  record: WorktreeRecord,
  folders: readonly string[],
): Promise<WorktreeRecord> {
  if (await isFolder(record.repository)) return record;
  for (const folder of folders) {
    // oxlint-disable-next-line no-await-in-loop -- the first match counts
    if (!(await isListed(git, folder, record.path).catch(() => false))) continue;
    const repository = await realpath(await git.text(['rev-parse', '--show-toplevel'], { cwd: folder }));
    await git.run(['worktree', 'repair', record.path], { cwd: repository });
    return { ...record, repository };
  }
  return record;
}

/**
 * A git call on the files of a worktree. Does not read its `.git` file, which the agent can change.
 * @throws ParleyError when the folder is gone, or the repository no longer knows it
 */
export async function callIn(
  git: Git,
  { repository, path }: Pick<WorktreeRecord, 'repository' | 'path'>,
  signal: AbortSignal,
): Promise<GitCall & { readonly gitDir: string; readonly signal: AbortSignal }> {
  const nextStep = t('Discard the worktree.');
  if (!(await isFolder(path)))
    throw new ParleyError('folderNotFound', t('The folder {0} of the worktree does not exist', path), { nextStep });
  const shared = await git.text(['rev-parse', '--git-common-dir'], { cwd: repository, signal });
  const all = resolve(repository, shared, 'worktrees');
  for (const name of await readdir(all).catch(() => [])) {
    const gitDir = join(all, name);
    // oxlint-disable-next-line no-await-in-loop -- a few small files
    const link = (await readFile(join(gitDir, 'gitdir'), 'utf8').catch(() => '')).trim();
    // The empty text is of equal paths, on Windows in any case.
    if (link !== '' && relative(resolve(gitDir, link), join(path, '.git')) === '')
      return { cwd: path, gitDir, workTree: path, signal };
  }
  throw new ParleyError('notFound', t('{0} is no longer a worktree of {1}', path, repository), { nextStep });
}

/** Deletes a worktree and its branch; what is already gone is no error. */
export async function removeFromRepository(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<void> {
  const { repository, path, branch, head, isReady } = record;
  const call = { cwd: repository, signal };
  if (!(await isRepository(git, repository))) return;
  // Git removes no worktree whose `.git` file was changed, but one whose folder is gone.
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  if (await isListed(git, repository, path)) await git.run(['worktree', 'remove', '--force', '--force', path], call);
  const name = `refs/heads/${branch}`;
  const tip = await git.text(['rev-parse', '--quiet', '--verify', name], { ...call, accept: [0, 1] });
  // A branch of the same name that another window created at the same moment is not ours.
  if (isReady ? tip !== '' : tip === head) await git.run(['branch', '-D', '--quiet', branch], call);
}

/** False for a link. */
export async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

/**
 * False where the user has deleted it, also when a folder around it has a repository.
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

/** Whether the repository around a folder has this worktree. Git prints forward slashes on every platform. */
async function isListed(git: Git, folder: string, path: string): Promise<boolean> {
  const listed = await git.text(['worktree', 'list', '--porcelain'], { cwd: folder });
  return listed.split('\n').includes(`worktree ${path.split(sep).join('/')}`);
}
