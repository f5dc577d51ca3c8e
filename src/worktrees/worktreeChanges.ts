import { randomUUID } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../node/git/gitCommand';
import { readGitObjects } from '../node/git/gitCommand';
import { conversions } from './gitRepository';
import type { WorktreeRecord } from './worktreeRecord';

/** A reference of the worktree alone, which git removes with it (git-worktree, "refs"). */
const BASE = 'refs/worktree/parley-base';
/** Bytes of a link or a file without its executable bit. */
const EXECUTABLE = '100755';

/** A file that was changed in a worktree since its creation. */
export interface WorktreeChange {
  /** Relative to the top folder, with forward slashes. */
  readonly name: string;
  readonly status: 'added' | 'modified' | 'deleted';
  /** Object ids; undefined where the file is missing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isExecutable: boolean;
  /** A link or a submodule. */
  readonly isSpecial: boolean;
}

/** What Discard would delete. */
export interface WorktreeWork {
  /** Files with changes of the agent that no commit holds. */
  readonly uncommitted: readonly string[];
  /** First lines of commits that only this worktree has. */
  readonly commits: readonly string[];
}

type Place = Pick<WorktreeRecord, 'path'>;

/** Stores the files of a new worktree as the state that its changes are compared with. */
export async function recordBase(git: Git, place: Place, signal: AbortSignal): Promise<void> {
  const tree = await treeOf(git, place, signal);
  const call = { cwd: place.path, signal };
  const commit = await git.text(['commit-tree', tree, '-p', 'HEAD', '-m', 'Start of the worktree'], call);
  await git.run(['update-ref', BASE, commit], call);
}

/** The changes since creation, committed or not. */
export async function changesSinceBase(
  git: Git,
  place: Place,
  signal: AbortSignal,
): Promise<readonly WorktreeChange[]> {
  return compare(git, place, BASE, await treeOf(git, place, signal), signal);
}

/** Names of files with changes since creation that no commit holds. */
export async function uncommittedFiles(git: Git, place: Place, signal: AbortSignal): Promise<readonly string[]> {
  const tree = await treeOf(git, place, signal);
  const [own, open] = await Promise.all([BASE, 'HEAD'].map((from) => compare(git, place, from, tree, signal)));
  const names = new Set(open?.map(({ name }) => name));
  return (own ?? []).flatMap(({ name }) => (names.has(name) ? [name] : []));
}

/**
 * First lines of the commits that only this worktree's branch or checked out commit has, newest first.
 * @param isThere false: the folder was deleted, only the branch is left
 */
export async function ownCommits(
  git: Git,
  { repository, path, branch, head }: WorktreeRecord,
  isThere: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const call = { cwd: isThere ? path : repository, signal };
  const known = await git.text(['for-each-ref', '--format=%(refname)', `refs/heads/${branch}`], call);
  const tips = [...(isThere ? ['HEAD'] : []), ...(known === '' ? [] : [known])];
  if (tips.length === 0) return [];
  const out = await git.text(['log', '--format=%h %s', '--max-count=100', ...tips, '--not', head], call);
  return out === '' ? [] : out.split('\n');
}

/** Bytes of both sides; undefined where the file is missing. */
export async function changedBytes(
  git: Git,
  { path }: Place,
  { before, after }: WorktreeChange,
): Promise<{ readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined }> {
  const objects = [before, after].flatMap((object) => object ?? []);
  const found = await readGitObjects(git, { cwd: path }, objects);
  return { before: before === undefined ? undefined : found[0], after: after === undefined ? undefined : found.at(-1) };
}

/** The tree of all files that git does not ignore. The worktree's own index stays as it is. */
async function treeOf(git: Git, { path }: Place, signal: AbortSignal): Promise<string> {
  const call = { cwd: path, signal };
  const names = await git.fields(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], call);
  const { settings } = await conversions(git, path, names, signal);
  const folder = await git.text(['rev-parse', '--absolute-git-dir'], call);
  const copy = join(folder, `parley-index-${randomUUID()}`);
  try {
    // With the times of the known files, so that only changed ones are read.
    await copyFile(join(folder, 'index'), copy);
    const ours = { ...call, index: copy };
    await git.run([...settings, 'add', '--all', '--ignore-errors', '--', '.'], { ...ours, accept: [0, 1] });
    return await git.text([...settings, 'write-tree'], ours);
  } finally {
    await rm(copy, { force: true });
    await rm(`${copy}.lock`, { force: true });
  }
}

/** `:<mode> <mode> <object> <object> <status>\0<path>\0` (git-diff-tree, raw output format). */
async function compare(
  git: Git,
  { path }: Place,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<WorktreeChange[]> {
  const fields = await git.fields(['diff-tree', '-r', '-z', '--no-renames', from, to], { cwd: path, signal });
  const found: WorktreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldObject = '', newObject = ''] = (fields[at] ?? '').slice(1).split(' ');
    const mode = newMode === '000000' ? oldMode : newMode;
    found.push({
      name: fields[at + 1] ?? '',
      status: oldMode === '000000' ? 'added' : newMode === '000000' ? 'deleted' : 'modified',
      before: oldMode === '000000' ? undefined : oldObject,
      after: newMode === '000000' ? undefined : newObject,
      isExecutable: mode === EXECUTABLE,
      isSpecial: !mode.startsWith('100'),
    });
  }
  return found;
}
