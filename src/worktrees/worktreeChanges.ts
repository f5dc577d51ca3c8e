import { randomUUID } from 'node:crypto';
import { copyFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git, GitCall } from '../node/git/gitCommand';
import { readGitObjects } from '../node/git/gitCommand';
import { conversions } from './gitRepository';
import { callIn, isFolder } from './registeredWorktrees';
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
  /** Whether a file that was there before was made executable, or no longer is. */
  readonly isModeChanged: boolean;
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

type Place = Pick<WorktreeRecord, 'repository' | 'path'>;

/** The files of a worktree. */
interface Content {
  /** Object id. */
  readonly tree: string;
  /** Names of what git cannot add: a nested repository without a commit, an unreadable file. */
  readonly rest: readonly string[];
}

/** Stores the files of a new worktree as the state that its changes are compared with. */
export async function recordBase(git: Git, place: Place, signal: AbortSignal): Promise<void> {
  const { tree } = await contentOf(git, place, signal);
  const call = await callIn(git, place, signal);
  const commit = await git.text(['commit-tree', tree, '-p', 'HEAD', '-m', 'Start of the worktree'], call);
  await git.run(['update-ref', BASE, commit], call);
}

/** The changes since creation, committed or not. */
export async function changesSinceBase(
  git: Git,
  place: Place,
  signal: AbortSignal,
): Promise<readonly WorktreeChange[]> {
  const { tree, rest } = await contentOf(git, place, signal);
  return [...(await compare(git, await callIn(git, place, signal), BASE, tree)), ...rest.map(unreadable)];
}

/**
 * What discarding would delete.
 * @throws ParleyError when the worktree cannot be read
 */
export async function worktreeWork(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<WorktreeWork> {
  // Deleted by the user: only the branch is left.
  const isThere = await isFolder(record.path);
  const [uncommitted, commits] = await Promise.all([
    isThere ? uncommittedFiles(git, record, signal) : [],
    ownCommits(git, record, isThere, signal),
  ]);
  return { uncommitted, commits };
}

/** Names of files with changes since creation that no commit holds. */
async function uncommittedFiles(git: Git, place: Place, signal: AbortSignal): Promise<readonly string[]> {
  const { tree, rest } = await contentOf(git, place, signal);
  const call = await callIn(git, place, signal);
  const [own, open] = await Promise.all([BASE, 'HEAD'].map((from) => compare(git, call, from, tree)));
  const names = new Set(open?.map(({ name }) => name));
  return [...(own ?? []).flatMap(({ name }) => (names.has(name) ? [name] : [])), ...rest];
}

/**
 * First lines of the commits that only this worktree's branch or checked out commit has, newest first.
 * @param isThere false: the folder was deleted, only the branch is left
 */
async function ownCommits(
  git: Git,
  record: WorktreeRecord,
  isThere: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { repository, branch, head } = record;
  const call = isThere ? await callIn(git, record, signal) : { cwd: repository, signal };
  const name = `refs/heads/${branch}`;
  const tip = await git.text(['rev-parse', '--quiet', '--verify', name], { ...call, accept: [0, 1] });
  const tips = [...(isThere ? ['HEAD'] : []), ...(tip === '' ? [] : [tip])];
  if (tips.length === 0) return [];
  const others = [`--exclude=${branch}`, '--branches', '--remotes', '--tags'];
  const args = ['log', '--format=%h %s', '--max-count=100', ...tips, '--not', head, ...others];
  const out = await git.text(args, call);
  return out === '' ? [] : out.split('\n');
}

/** Bytes of both sides; undefined where the file is missing. */
export async function changedBytes(
  git: Git,
  { repository }: Place,
  { before, after }: WorktreeChange,
): Promise<{ readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined }> {
  const objects = [before, after].flatMap((object) => object ?? []);
  const found = await readGitObjects(git, { cwd: repository }, objects);
  return { before: before === undefined ? undefined : found[0], after: after === undefined ? undefined : found.at(-1) };
}

/** All files that git does not ignore. The worktree's own index stays as it is. */
async function contentOf(git: Git, place: Place, signal: AbortSignal): Promise<Content> {
  const call = await callIn(git, place, signal);
  const settings = await conversions(git, place.repository, call);
  const copy = join(call.gitDir, `parley-index-${randomUUID()}`);
  const ours = { ...call, index: copy };
  try {
    // With the times of the known files, so that only changed ones are read. The agent may have deleted the index.
    await copyIndex(join(call.gitDir, 'index'), copy).catch(() => git.run(['read-tree', BASE], ours));
    await git.run([...settings, 'add', '--all', '--ignore-errors', '--', '.'], { ...ours, accept: [0, 1] });
    const rest = await git.fields([...settings, 'ls-files', '-z', '--others', '--exclude-standard'], ours);
    const tree = await git.text([...settings, 'write-tree'], ours);
    return { tree, rest: rest.map((name) => name.replace(/\/$/, '')) };
  } finally {
    await rm(copy, { force: true });
    await rm(`${copy}.lock`, { force: true });
  }
}

/** With its time: git reads files again that were written in the second of the index (gitformat-index, "racy"). */
async function copyIndex(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

function unreadable(name: string): WorktreeChange {
  const mode = { isExecutable: false, isModeChanged: false, isSpecial: true };
  return { name, status: 'added', before: undefined, after: undefined, ...mode };
}

/** `:<mode> <mode> <object> <object> <status>\0<path>\0` (git-diff-tree, raw output format). */
async function compare(git: Git, call: GitCall, from: string, to: string): Promise<WorktreeChange[]> {
  const fields = await git.fields(['diff-tree', '-r', '-z', '--no-renames', from, to], call);
  const found: WorktreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldObject = '', newObject = ''] = (fields[at] ?? '').slice(1).split(' ');
    const modes = [oldMode, newMode].filter((mode) => mode !== '000000');
    found.push({
      name: fields[at + 1] ?? '',
      status: oldMode === '000000' ? 'added' : newMode === '000000' ? 'deleted' : 'modified',
      before: oldMode === '000000' ? undefined : oldObject,
      after: newMode === '000000' ? undefined : newObject,
      isExecutable: modes.at(-1) === EXECUTABLE,
      isModeChanged: new Set(modes).size > 1,
      isSpecial: modes.some((mode) => !mode.startsWith('100')),
    });
  }
  return found;
}
