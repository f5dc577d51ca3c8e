import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { ParleyError, errorMessage, isCancellation } from '../base/errors';
import { t } from '../base/l10n';
import { isInside } from '../node/fs/realPaths';
import type { Git } from '../node/git/gitCommand';
import { globalExcludes } from '../node/git/gitCommand';

/** The user's repository, as far as worktrees need it. */
export interface GitRepository {
  /** Top folder of the work tree; absolute, with links resolved. */
  readonly top: string;
  /** The folder below `top`, with forward slashes; empty for `top` itself. */
  readonly prefix: string;
  /** The commit that is checked out. */
  readonly head: string;
  /** Options that replace settings for this repository: no filter program, the user's line ends and ignore file. */
  readonly settings: readonly string[];
  /** Tracked files that a filter program converts, such as Git LFS; relative to `top`. */
  readonly filtered: readonly string[];
}

/**
 * The repository around a folder.
 * @throws ParleyError `badInput` that says why no worktree can be created
 */
export async function findRepository(git: Git, folder: string, signal: AbortSignal): Promise<GitRepository> {
  const problem = await git.problem();
  if (problem !== undefined)
    throw new ParleyError('badInput', t('Worktrees need git 2.25 or later, and a trusted workspace'));
  const top = await topOf(git, folder, signal);
  const call = { cwd: top, signal };
  const head = await git.text(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], call).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    throw new ParleyError('badInput', t('The repository {0} has no commit yet', top), {
      nextStep: t('Commit once, then create the worktree.'),
    });
  });
  const prefix = relative(top, await realpath(folder))
    .split(sep)
    .join('/');
  const names = await git.fields(['ls-tree', '-r', '-z', '--name-only', '--full-tree', head], call);
  return { top, prefix, head, ...(await conversions(git, top, names, signal)) };
}

/**
 * Settings that read and write the files of a work tree without programs.
 * @param names of its files
 */
export async function conversions(
  git: Git,
  top: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Pick<GitRepository, 'settings' | 'filtered'>> {
  const filters = await filteredFiles(git, top, names, signal);
  const settings = [...withoutFilters([...new Set(filters.values())]), ...(await userSettings(git, top))];
  return { settings, filtered: [...filters.keys()] };
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
      t('{0} is not in a git repository with files: {1}', folder, errorMessage(error)),
      {
        nextStep: t('Worktrees need a git repository that is not bare.'),
      },
    );
  }
}

/** Filter names by file. */
async function filteredFiles(
  git: Git,
  top: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  if (!names.some((name) => name === '.gitattributes' || name.endsWith('/.gitattributes'))) return new Map();
  const input = names.map((name) => `${name}\0`).join('');
  const fields = await git.fields(['check-attr', '-z', '--stdin', 'filter'], { cwd: top, signal, input });
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset' && value !== 'set') found.set(path, value);
  }
  return found;
}

/** The repository may name any program as a filter. */
function withoutFilters(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (!/^[\w.-]+$/.test(name))
      throw new ParleyError(
        'badInput',
        t('The repository uses a filter with an unusual name: {0}', JSON.stringify(name)),
      );
    const off = ['process=', 'smudge=', 'clean=', 'required=false'];
    return off.flatMap((setting) => ['-c', `filter.${name}.${setting}`]);
  });
}

async function userSettings(git: Git, top: string): Promise<string[]> {
  const [lineEnds, excludes] = await Promise.all([
    git.configuration(top, '^core\\.(autocrlf|eol|longpaths|symlinks)$'),
    globalExcludes(git, top),
  ]);
  return [...lineEnds, ['core.excludesFile', excludes] as const].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}
