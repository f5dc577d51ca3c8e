import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { ParleyError, errorMessage, isCancellation } from '../base/errors';
import { t } from '../base/l10n';
import { isInside } from '../node/fs/realPaths';
import type { Git, GitCall } from '../node/gitCommand';
import { excludesFile, globalExcludes } from '../node/gitCommand';
import { withoutFilters } from '../node/gitFilters';

/** The user's repository, as far as worktrees need it. */
export interface GitRepository {
  /** Top folder of the work tree; absolute, with links resolved. */
  readonly top: string;
  /** The folder below `top`, with forward slashes; empty for `top` itself. */
  readonly prefix: string;
  /** The commit that a worktree starts from. */
  readonly head: string;
  /** Options that replace settings for this repository: no filter program, and {@link userSettings}. */
  readonly settings: readonly string[];
  /** Options for the user's line ends and ignore file, which count in worktrees as well. */
  readonly userSettings: readonly string[];
  /** Tracked files that a filter program converts, such as Git LFS; relative to `top`. */
  readonly filtered: readonly string[];
}

/**
 * The repository around a folder.
 * @param ref the full name of the branch that a worktree starts from; the checked-out commit by default
 * @throws ParleyError `badInput` that says why no worktree can be created
 */
export async function findRepository(
  git: Git,
  folder: string,
  signal: AbortSignal,
  ref = 'HEAD',
): Promise<GitRepository> {
  const problem = await git.problem();
  if (problem !== undefined)
    throw new ParleyError('badInput', t('Worktrees require Git 2.25 or later and a trusted workspace'));
  const top = await topOf(git, folder, signal);
  const call = { cwd: top, signal };
  const head = await git.text(['rev-parse', '-q', '--verify', `${ref}^{commit}`], call).catch((error: unknown) => {
    if (isCancellation(error) || ref !== 'HEAD') throw error;
    throw new ParleyError('badInput', t('The repository {0} has no commits yet', top), {
      nextStep: t('Commit once, then create the worktree.'),
    });
  });
  const prefix = relative(top, await realpath(folder))
    .split(sep)
    .join('/');
  const [filters, userSettings, filtered] = await Promise.all([
    withoutFilters(git, call),
    readUserSettings(git, top),
    filteredFiles(git, call, head),
  ]);
  return { top, prefix, head, settings: [...filters, ...userSettings], userSettings, filtered };
}

/** A branch that a worktree can start from. */
export interface BaseBranch {
  /** `refs/heads/main` */
  readonly ref: string;
  /** `main`, `origin/main` */
  readonly name: string;
  /** The first line of its last commit. */
  readonly subject: string;
}

/** Branches that are listed, those with the newest commits. */
const MAX_BASES = 500;

/** The branches around a folder, also of remotes, except for the checked-out one and those of Parley. */
export async function baseBranches(git: Git, folder: string, signal: AbortSignal): Promise<readonly BaseBranch[]> {
  const form = '--format=%(HEAD)%(symref)%09%(refname)%09%(refname:lstrip=2)%09%(contents:subject)';
  const list = ['for-each-ref', form, '--sort=-committerdate', `--count=${MAX_BASES}`, 'refs/heads', 'refs/remotes'];
  const lines = (await git.text(list, { cwd: folder, signal })).split('\n');
  return lines.flatMap((line) => {
    const [state = '', ref = '', name = '', ...subject] = line.split('\t');
    // The checked-out branch has a star, and `origin/HEAD` another branch.
    const isOther = state.trim() === '' && ref !== '' && !name.startsWith('parley/');
    return isOther ? [{ ref, name, subject: subject.join(' ') }] : [];
  });
}

/** @throws ParleyError */
async function topOf(git: Git, folder: string, signal: AbortSignal): Promise<string> {
  try {
    const shown = await git.text(['rev-parse', '--show-toplevel'], { cwd: folder, signal });
    const [top, real] = await Promise.all([realpath(shown), realpath(folder)]);
    // `core.worktree` of a repository may name any folder.
    if (isInside(top, real)) return top;
    throw new Error(`core.worktree is ${top}`);
  } catch (error) {
    if (isCancellation(error)) throw error;
    throw new ParleyError(
      'badInput',
      t('{0} is not in the working tree of a Git repository: {1}', folder, errorMessage(error)),
      {
        nextStep: t('Worktrees require a Git repository that is not bare.'),
      },
    );
  }
}

/**
 * Tracked files that have a filter, such as Git LFS. Parley runs no filters, so git writes these files as they are
 * stored.
 */
async function filteredFiles(git: Git, call: GitCall, head: string): Promise<readonly string[]> {
  const names = await git.fields(['ls-tree', '-r', '-z', '--name-only', '--full-tree', head], call);
  if (!names.some((name) => name === '.gitattributes' || name.endsWith('/.gitattributes'))) return [];
  const input = names.map((name) => `${name}\0`).join('');
  const fields = await git.fields(['check-attr', '-z', '--stdin', 'filter'], { ...call, input });
  const found: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset' && value !== 'set') found.push(path);
  }
  return found;
}

const FILE_FORMS = 'autocrlf|eol|filemode|ignorecase|longpaths|symlinks';

async function readUserSettings(git: Git, top: string): Promise<string[]> {
  const found = new Map(await git.configuration(top, `^core\\.(${FILE_FORMS}|excludesfile)$`, 'path'));
  // A setting without a value, such as `autocrlf`, has no path, and fails the whole call.
  if (found.size === 0) {
    const [forms, excludes] = await Promise.all([fileForms(git, top), globalExcludes(git, top)]);
    return [...forms, '-c', `core.excludesFile=${excludes}`];
  }
  const excludes = excludesFile(found);
  found.delete('core.excludesfile');
  return [...asOptions(found), '-c', `core.excludesFile=${excludes}`];
}

/** Options for the user's line ends and the capabilities of the file system. */
async function fileForms(git: Git, top: string): Promise<string[]> {
  return asOptions(await git.configuration(top, `^core\\.(${FILE_FORMS})$`));
}

/**
 * The same for a worktree, which is on the file system of our storage. The repository may be on one that folds case, such as a drive of Windows
 * in WSL: with its setting, git would not see a new file whose name differs from another by case only.
 */
export async function worktreeForms(git: Git, repository: string): Promise<string[]> {
  const forms = new Map(await git.configuration(repository, `^core\\.(${FILE_FORMS})$`));
  forms.delete('core.ignorecase');
  return asOptions(forms);
}

function asOptions(configuration: ReadonlyMap<string, string>): string[] {
  return [...configuration].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}
