// Protected by test/unit/worktrees/prunedBase.test.ts: changes are shown when the base commit is gone.
import type { Stats } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMissingPath } from '../base/errors';
import { isFolder } from '../node/fs/moveAside';
import { beyondLinks } from '../node/fs/pinnedFolder';
import { pathExists } from '../node/fs/realPaths';
import type { Git, GitCall } from '../node/gitCommand';
import { readGitObjects } from '../node/readGitObjects';
import { ignoredFiles } from './ignoredFiles';
import type { ListedCall } from './registeredWorktrees';
import { callIn, callWithoutFiles } from './registeredWorktrees';
import { submoduleCommits } from './submoduleCommits';
import { headCommit, ownCommits } from './worktreeCommits';
import {
  copiedIgnoredFiles,
  worktreeContent,
  nestedRepositories,
  ownRepositoryCall,
  storeContent,
  withUserObjects,
} from './worktreeContent';
import { ASIDE } from './worktreeRecord';
import type { IgnoredFiles, WorktreeRecord } from './worktreeRecord';

/** The git mode of an executable file. */
const EXECUTABLE = '100755';

/** Names that are stored, for the record is read often. Files beyond count as work. */
const MAX_SETUP_NAMES = 1_000;

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
  /** Larger than `MAX_UNTRACKED`, and git does not track it: its content is not read. */
  readonly isLarge?: true;
}

interface LostFiles {
  /** Files whose content neither a commit nor the main folder has. */
  readonly uncommitted: readonly string[];
  /** Files that git ignores, and that were not copied from the main folder. */
  readonly ignored: readonly IgnoredFiles[];
}

/** What Discard would delete. */
export interface WorktreeWork extends LostFiles {
  /** First lines of commits that only this worktree has, or one of its submodules. */
  readonly commits: readonly string[];
  /** Names of what is begun or locked there, in its git folder: `rebase-merge`. */
  readonly begun: readonly string[];
}

/** The changes since creation, committed or not. */
export async function changesSinceBase(
  git: Git,
  record: WorktreeRecord,
  signal: AbortSignal,
): Promise<readonly WorktreeChange[]> {
  const { call, tree, rest, large } = await worktreeContent(git, record, signal);
  const compared = await compare(git, call, record.base ?? record.head, tree);
  const unread = [...rest.map((name) => unreadChange(name)), ...large.map((name) => unreadChange(name, true))];
  return [...compared, ...unread];
}

/**
 * What discarding would delete.
 * @throws ParleyError when the worktree cannot be read
 */
export async function worktreeWork(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<WorktreeWork> {
  // Moved or deleted by the user: the branch is left, and what the repository has of the worktree.
  const isThere = await isFolder(record.path);
  const call = await (isThere ? callIn : callWithoutFiles)(git, record, signal);
  const [files, commits, ofSubmodules, names] = await Promise.all([
    call ? (isThere ? filesOf(git, record, call) : stagedWork(git, call)) : NO_FILES,
    ownCommits(git, record, call, signal),
    call ? submoduleCommits(git, call.gitDir, signal) : [],
    call ? readdir(call.gitDir) : [],
  ]);
  // A crash or another program has prevented that it got its name back.
  const aside = record.isDiscarded
    ? []
    : (await readdir(dirname(record.path))).filter((name) => name.startsWith(ASIDE));
  return {
    ...files,
    uncommitted: [...files.uncommitted, ...aside.map((name) => `../${name}/`)],
    commits: [...commits, ...ofSubmodules],
    begun: names.filter((name) => BEGUN.has(name)).toSorted(),
  };
}

function filesOf(git: Git, record: WorktreeRecord, call: ListedCall): Promise<LostFiles> {
  return lostFiles(git, record, call).catch((error: unknown) => changedNames(git, record, call, error));
}

async function stagedWork(git: Git, call: ListedCall): Promise<LostFiles> {
  return { ...NO_FILES, uncommitted: (await stagedFiles(git, call, await headTree(git, call))).toSorted() };
}

/** Whether two lists name the same work. Ignored files may have grown: nobody waits for the end of a build. */
export function isSameWork(one: WorktreeWork, other: WorktreeWork): boolean {
  const named = (work: WorktreeWork): unknown => ({
    ...work,
    ignored: work.ignored.map(({ name, files }) => [name, files]),
  });
  return isDeepStrictEqual(named(one), named(other));
}

/**
 * Files whose content is only in the worktree: neither in its commit nor in the main folder. Includes copied files that
 * the main folder no longer has, and nested repositories, which are not read.
 */
async function lostFiles(git: Git, record: WorktreeRecord, listed: ListedCall): Promise<LostFiles> {
  const { repository, path } = record;
  const { signal } = listed;
  const { call, tree, rest, large } = await worktreeContent(git, record, signal);
  const head = await headTree(git, listed);
  const [open, copied, nested, staged, ignored] = await Promise.all([
    withUserObjects(git, call, repository).then((both) => compare(git, both, head, tree)),
    copiedIgnoredFiles(git, call),
    nestedRepositories(git, path, tree, call),
    stagedOnly(git, { ...listed, objects: join(call.gitDir, 'objects') }, head, tree),
    ignoredFiles(git, call),
  ]);
  const names = new Set([...open.map(({ name }) => name), ...copied, ...rest, ...large]);
  // A link of the main folder may lead to the worktree itself.
  const linked = await beyondLinks(Array.from(names, (name) => join(repository, name)));
  // A name that is not UTF-8 names no file of both folders.
  const there = new Set(open.flatMap(({ name, status }) => (status === 'deleted' ? [] : name)));
  const lost: string[] = [];
  for (const name of names) {
    const [mine, theirs] = [join(repository, name), join(path, name)];
    // Compares one pair of files at a time.
    const isKept =
      !linked.has(mine) && (!there.has(name) || (await pathExists(theirs))) && (await isSameFile(mine, theirs, signal));
    if (!isKept) lost.push(name);
  }
  const links = new Set(await intactLinks(record));
  // It has replaced the file that names the real repository.
  const own = (await isFolder(join(path, '.git'))) ? ['.git/'] : [];
  return {
    uncommitted: [...new Set([...lost, ...nested, ...staged, ...own])].toSorted(),
    ignored: ignored.filter(({ name }) => !links.has(name)),
  };
}

/** The linked folders that nobody has replaced. */
async function intactLinks({ repository, path, links = [] }: WorktreeRecord): Promise<readonly string[]> {
  const targets = await Promise.all(links.map((name) => readlink(join(path, name)).catch(() => undefined)));
  return links.filter((name, at) => targets[at] !== undefined && relative(targets[at], join(repository, name)) === '');
}

/** The commit of a worktree; the empty tree on a branch without a commit. */
async function headTree(git: Git, call: GitCall): Promise<string> {
  const head = await headCommit(git, call);
  return head === '' ? git.text(['hash-object', '-t', 'tree', '--stdin'], { ...call, input: '' }) : head;
}

/** Milliseconds for the names of files, after their contents took too long. */
const NAMES_DEADLINE_MS = 60_000;

const NO_FILES = { uncommitted: [], ignored: [] };

/**
 * All changed, new and ignored files, where their contents cannot be compared: a file may be too large for the time, or cannot be read.
 * @param error thrown if there are none, because then nobody knows
 */
async function changedNames(
  git: Git,
  record: WorktreeRecord,
  { signal: _signal, ...listed }: ListedCall,
  error: unknown,
): Promise<LostFiles> {
  const head = await headTree(git, listed);
  const own = await withUserObjects(
    git,
    await ownRepositoryCall(git, record, AbortSignal.timeout(NAMES_DEADLINE_MS)),
    record.repository,
  );
  const others = ['ls-files', '-z', '--others', '--exclude-standard'];
  const lists = [
    // In our own repository, which has no filters.
    git.fields(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], own),
    stagedFiles(git, own, head),
    stagedFiles(git, listed, head),
    git.fields(others, listed),
    git.fields([...others, '--ignored', '--directory'], listed),
  ];
  const names = (await Promise.all(lists)).flat();
  if (names.length === 0) throw error;
  return { uncommitted: [...new Set(names)].toSorted(), ignored: [] };
}

/**
 * Names of files of which only the index has the content: neither the commit nor the worktree.
 * @param tree of the worktree. Git itself would compare the files with the filters of the repository, and those of nested ones.
 */
async function stagedOnly(git: Git, call: GitCall, head: string, tree: string): Promise<readonly string[]> {
  const staged = await stagedFiles(git, call, head);
  if (staged.length === 0) return [];
  const open = new Set(await stagedFiles(git, call, tree));
  return staged.filter((name) => open.has(name));
}

/** Names of files that differ between the index and a tree. */
function stagedFiles(git: Git, call: GitCall, tree: string): Promise<string[]> {
  return git.fields(['diff-index', '--cached', '-z', '--name-only', tree, '--'], call);
}

/**
 * The folders that the setup of a worktree has created in it. A single file may be the user's: a new `.env.local` while the setup runs.
 * Folders that could not be counted are left out.
 * @throws ParleyError when the worktree cannot be read
 */
export async function setupResults(
  git: Git,
  record: WorktreeRecord,
  signal: AbortSignal,
): Promise<readonly IgnoredFiles[]> {
  const { call } = await worktreeContent(git, record, signal);
  const isOfSetup = ({ name, isPartial }: IgnoredFiles): boolean => name.endsWith('/') && !isPartial;
  return (await ignoredFiles(git, call)).filter(isOfSetup).slice(0, MAX_SETUP_NAMES);
}

/** Whether a worktree contains nothing that discarding would lose, except for what its setup has created. */
export function isEmptyWork(work: WorktreeWork, setup: readonly IgnoredFiles[]): boolean {
  const { uncommitted, commits, begun, ignored } = work;
  const isOfSetup = (one: IgnoredFiles): boolean => setup.some((each) => isDeepStrictEqual(each, one));
  return uncommitted.length + commits.length + begun.length === 0 && ignored.every(isOfSetup);
}

/** In the git folder of a worktree: what the user has begun or locked there, possibly with stashed text. */
const BEGUN: ReadonlySet<string> = new Set([
  'locked',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'MERGE_HEAD',
  'MERGE_AUTOSTASH',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
]);

/**
 * Whether the index of a worktree has content of its own.
 * @throws ParleyError when the worktree cannot be read
 */
export async function hasStagedContent(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<boolean> {
  if (!(await isFolder(record.path))) return false;
  const call = await callIn(git, record, signal);
  return (await stagedFiles(git, call, await headTree(git, call))).length > 0;
}

/** Bytes of both sides; undefined where the file is missing. */
export async function changedBytes(
  git: Git,
  record: WorktreeRecord,
  { name, before, after }: WorktreeChange,
  signal: AbortSignal,
): Promise<{ readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined }> {
  const objects = [before, after].flatMap((object) => object ?? []);
  const call = await ownRepositoryCall(git, record, signal);
  let found = await readGitObjects(git, call, objects);
  if (after !== undefined && !found.at(-1)) {
    await storeContent(git, record, call, name, after);
    found = await readGitObjects(git, call, objects);
  }
  return { before: before === undefined ? undefined : found[0], after: after === undefined ? undefined : found.at(-1) };
}

function unreadChange(name: string, isLarge = false): WorktreeChange {
  const kind = isLarge ? ({ isSpecial: false, isLarge } as const) : { isSpecial: true };
  return {
    name,
    status: 'added',
    before: undefined,
    after: undefined,
    isExecutable: false,
    isModeChanged: false,
    ...kind,
  };
}

/** `:<mode> <mode> <object> <object> <status>\0<path>\0` (git-diff-tree, raw output format). */
async function compare(git: Git, call: GitCall, from: string, to: string): Promise<WorktreeChange[]> {
  const fields = await git.fields(['diff-tree', '-r', '-z', '--no-renames', from, to, '--'], call);
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

/** Bytes that are read at a time. */
const PART = 1024 * 1024;

/**
 * Whether two paths have the same content and mode, or neither exists. False where one cannot be read, or the signal comes first. Follows no
 * links.
 */
async function isSameFile(one: string, other: string, signal: AbortSignal): Promise<boolean> {
  try {
    const [first, second] = await Promise.all([one, other].map(infoOf));
    if (!first || !second) return first === second;
    if (first.isSymbolicLink() && second.isSymbolicLink()) return (await readlink(one)) === (await readlink(other));
    const isAlike = first.isFile() && second.isFile() && first.size === second.size;
    return isAlike && ((first.mode ^ second.mode) & 0o111) === 0 && (await hasSameBytes(one, other, signal));
  } catch {
    return false;
  }
}

/** Undefined if the path does not exist. */
async function infoOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissingPath(error)) return undefined;
    throw error;
  }
}

async function hasSameBytes(one: string, other: string, signal: AbortSignal): Promise<boolean> {
  const [left, right] = [Buffer.alloc(PART), Buffer.alloc(PART)];
  const first = await open(one);
  const second = await open(other).catch(() => undefined);
  try {
    while (!signal.aborted) {
      // In parts, because files can be large.
      const [a, b] = await Promise.all([first.read(left), second?.read(right)]);
      if (a.bytesRead !== b?.bytesRead || left.compare(right, 0, b.bytesRead, 0, a.bytesRead) !== 0) return false;
      if (a.bytesRead === 0) return true;
    }
    return false;
  } finally {
    await first.close();
    await second?.close();
  }
}
