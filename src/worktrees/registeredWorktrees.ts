import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Git } from '../node/git/gitCommand';
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
    if (!(await isListed(git, folder, record.path))) continue;
    const repository = await realpath(await git.text(['rev-parse', '--show-toplevel'], { cwd: folder }));
    await git.run(['worktree', 'repair', record.path], { cwd: repository });
    return { ...record, repository };
  }
  return record;
}

/** Deletes a worktree and its branch; what is already gone is no error. */
export async function removeFromRepository(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<void> {
  const { repository, path, branch, head, isReady } = record;
  const call = { cwd: repository, signal };
  if (!(await isRepository(git, repository))) return;
  if (await isListed(git, repository, path)) await git.run(['worktree', 'remove', '--force', '--force', path], call);
  const tip = await git.text(['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`], call);
  // A branch of the same name that another window created at the same moment is not ours.
  if (isReady ? tip !== '' : tip === head) await git.run(['branch', '-D', '--quiet', branch], call);
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

/** False where the user has deleted it. */
async function isRepository(git: Git, folder: string): Promise<boolean> {
  if (!(await isFolder(folder))) return false;
  return git.text(['rev-parse', '--git-dir'], { cwd: folder }).then(
    () => true,
    () => false,
  );
}

/** Whether the repository around a folder has this worktree. Git prints forward slashes on every platform. */
async function isListed(git: Git, folder: string, path: string): Promise<boolean> {
  const listed = await git.text(['worktree', 'list', '--porcelain'], { cwd: folder }).catch(() => '');
  return listed.split('\n').includes(`worktree ${path.split(sep).join('/')}`);
}
