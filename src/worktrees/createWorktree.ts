// Protected by test/unit/worktrees/worktreeCrashes.test.ts: a window that is killed leaves no half worktree.
import { mkdir, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ParleyError, errorMessage, isCancellation } from '../base/errors';
import { t } from '../base/l10n';
import { normalizeText } from '../base/text';
import type { Git, GitCall } from '../node/gitCommand';
import { withoutFilters } from '../node/gitFilters';
import { copyWork } from './copyWork';
import type { GitRepository } from './gitRepository';
import { callIn } from './registeredWorktrees';
import { startContent } from './worktreeContent';
import type { PlannedWorktree, RaceOfWorktree, WorktreeRecord } from './worktreeRecord';

/** Bytes; a disk with less is full. */
const MIN_FREE = 1024 * 1024;

/** What `Worktrees.create` needs. */
export interface NewWorktree {
  /** Words for the branch name, usually those of the message. */
  readonly text: string;
  /** Globs of ignored files to copy: `parley.worktrees.include`. */
  readonly include: readonly string[];
  /** Globs of ignored folders to link: `parley.worktrees.link`. */
  readonly link?: readonly string[];
  /** The full name of the branch to start from, without the user's uncommitted work; undefined for the work tree as it is. */
  readonly from?: string;
  /** Absolute; the workspace folder that the worktree replaces. */
  readonly folder: string;
  readonly race?: RaceOfWorktree;
}

export interface WorktreeRequest extends NewWorktree {
  readonly repository: GitRepository;
}

export interface CreatedWorktree {
  readonly worktree: WorktreeRecord;
  /** Relative paths of the user's files that were not copied. */
  readonly skipped: readonly string[];
}

/** The record of a worktree that is about to be created in a folder. */
export async function plannedWorktree(
  git: Git,
  folder: string,
  id: string,
  { repository, text }: WorktreeRequest,
  signal: AbortSignal,
): Promise<PlannedWorktree> {
  const { top, prefix, head } = repository;
  const branch = await freeBranchName(git, { cwd: top, signal }, text);
  // Agents show the last path segment as the name of the project.
  return { id, repository: top, path: join(folder, basename(top) || 'worktree'), prefix, branch, head };
}

/**
 * Adds the worktree, with the user's work in it.
 * @returns its files as a tree, and relative paths of linked folders and of files that were left out
 * @throws ParleyError with git's error; the caller removes what was created before the error
 */
export async function addWorktree(
  git: Git,
  record: WorktreeRecord,
  { repository, include, link = [], from }: WorktreeRequest,
  signal: AbortSignal,
): Promise<{ readonly base: string; readonly links: readonly string[]; readonly skipped: readonly string[] }> {
  const { path, branch, head } = record;
  await mkdir(path, { recursive: true });
  // The files are checked out by a separate call: `worktree add` leaves its child process running when it is canceled,
  // and the configuration may depend on the branch.
  const add = ['worktree', 'add', '--quiet', '--no-track', '--no-checkout', '-b', branch, path, head];
  await git.run(add, { cwd: repository.top, signal });
  const call = await callIn(git, record, signal);
  const settings = [...(await withoutFilters(git, call)), ...repository.userSettings];
  const reset = ['-c', 'checkout.workers=0', 'reset', '--hard', '--quiet', '--no-recurse-submodules'];
  await git.run([...settings, ...reset], call).catch((error: unknown) => throwExplained(error, path));
  // The branch may not have the workspace folder.
  if (record.prefix !== '') await mkdir(join(path, record.prefix), { recursive: true });
  const globs = { include, link };
  const { skipped, ignored, links } = await copyWork(git, repository, path, globs, from === undefined, signal);
  const base = await startContent(git, record, join(call.gitDir, 'index'), { ignored, links }, signal);
  return { base, links, skipped };
}

/**
 * Git does not say why it could not write a file.
 * @throws the error, or that the disk is full
 */
async function throwExplained(failure: unknown, folder: string): Promise<never> {
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
  if (isCancellation(failure) || free > MIN_FREE) throw failure;
  throw new ParleyError('internal', t('The disk is full: free some space ({0})', errorMessage(failure)));
}

/** Renames the branch of a worktree to match other words; returns the new name. */
export async function renameBranch(git: Git, record: WorktreeRecord, words: string): Promise<string> {
  const { repository: cwd, branch } = record;
  const renamed = await freeBranchName(git, { cwd }, words, branch);
  if (renamed !== branch) await git.run(['branch', '-m', '--', branch, renamed], { cwd });
  return renamed;
}

/**
 * @param own a branch that does not count as taken
 * @throws ParleyError if a branch of the user prevents the name
 */
async function freeBranchName(git: Git, call: GitCall, words: string, own?: string): Promise<string> {
  const format = ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/parley', 'refs/heads/parley/'];
  const branches = (await git.text(format, call)).split('\n');
  if (branches.includes('parley'))
    throw new ParleyError(
      'badInput',
      t('The repository has a branch named “parley”, so Git cannot create “parley/…”'),
      {
        nextStep: t('Rename that branch.'),
      },
    );
  return branchName(words, new Set(branches.filter((name) => name !== own)));
}

/** Characters of a branch name after `parley/`. */
const MAX_LENGTH = 40;
/** Names that Windows does not allow for files. Git stores each branch as a file. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * A branch name from the words of a message, which git accepts on every platform.
 * @param taken existing branch names
 */
function branchName(words: string, taken: ReadonlySet<string>): string {
  // Git has no branch `a` beside `a/b`.
  const names = [...taken].flatMap((name) => name.split('/').map((_part, at, all) => all.slice(0, at + 1).join('/')));
  const folded = new Set(names.map((name) => name.toLowerCase()));
  const slug = slugOf(words);
  for (let number = 1; ; number++) {
    const name = `parley/${slug}${number === 1 ? '' : `-${number}`}`;
    if (!folded.has(name.toLowerCase())) return name;
  }
}

/** Letters and digits of all scripts (git-check-ref-format), cut at a word. */
function slugOf(words: string): string {
  const parts =
    normalizeText(words, 'NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = '';
  for (const part of parts) {
    const longer = slug === '' ? Array.from(part).slice(0, MAX_LENGTH).join('') : `${slug}-${part}`;
    if (longer.length > MAX_LENGTH && slug !== '') break;
    slug = longer;
  }
  if (slug === '') return 'chat';
  return DEVICES.test(slug) ? `${slug}-chat` : slug;
}
