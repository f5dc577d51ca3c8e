import { basename, join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Git, GitCall } from '../node/git/gitCommand';
import { branchName } from './branchName';
import { copyWork } from './copyWork';
import type { GitRepository } from './gitRepository';
import { recordBase } from './worktreeChanges';
import type { WorktreeRecord } from './worktreeRecord';

/** What a new worktree starts from. */
export interface WorktreeRequest {
  readonly repository: GitRepository;
  /** The message, or what else the branch is named after. */
  readonly words: string;
  /** Globs of ignored files to copy: `parley.worktrees.include`. */
  readonly include: readonly string[];
}

/** The record of a worktree that is about to be created in a folder. */
export async function plannedWorktree(
  git: Git,
  folder: string,
  id: string,
  { repository, words }: WorktreeRequest,
  signal: AbortSignal,
): Promise<Pick<WorktreeRecord, 'id' | 'repository' | 'path' | 'prefix' | 'branch' | 'head'>> {
  const { top, prefix, head } = repository;
  const branch = await freeBranchName(git, { cwd: top, signal }, words);
  // Agents show the last part as the name of the project.
  return { id, repository: top, path: join(folder, basename(top) || 'worktree'), prefix, branch, head };
}

/**
 * Adds the worktree, with the user's work in it.
 * @returns relative paths of files that were left out
 * @throws ParleyError with git's error; what was created until then is left to the caller
 */
export async function addWorktree(
  git: Git,
  { path, branch, head }: Pick<WorktreeRecord, 'path' | 'branch' | 'head'>,
  { repository, include }: WorktreeRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await mkdir(path, { recursive: true });
  const add = ['worktree', 'add', '--quiet', '--no-track', '-b', branch, path, head];
  await git.run([...repository.settings, '-c', 'checkout.workers=0', ...add], { cwd: repository.top, signal });
  const leftOut = await copyWork(git, repository, path, include, signal);
  await recordBase(git, { path }, signal);
  return leftOut;
}

/** Renames the branch of a worktree after other words; returns its name. */
export async function renameBranch(git: Git, { path, branch }: WorktreeRecord, words: string): Promise<string> {
  const renamed = await freeBranchName(git, { cwd: path }, words, branch);
  if (renamed !== branch) await git.run(['branch', '-m', branch, renamed], { cwd: path });
  return renamed;
}

/** @param own may be taken */
async function freeBranchName(git: Git, call: GitCall, words: string, own?: string): Promise<string> {
  const branches = await git.text(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/parley/'], call);
  return branchName(words, new Set(branches.split('\n').filter((name) => name !== own)));
}
