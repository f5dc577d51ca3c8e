// Protected by test/unit/worktrees/hiddenWork.test.ts: a worktree runs no program of a repository.
import { randomUUID } from 'node:crypto';
import { appendFile, copyFile, readFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ParleyError, isCancellation } from '../base/errors';
import { t } from '../base/l10n';
import { writeFileAtomic } from '../node/fs/atomicWrite';
import { isFolder } from '../node/fs/moveAside';
import { readPlainFile } from '../node/fs/overwriteFile';
import { pathExists } from '../node/fs/realPaths';
import type { Git, GitCall } from '../node/gitCommand';
import { globalExcludes } from '../node/gitCommand';
import { indexNames, namesOnDisk, unreadFolders } from '../node/indexNames';
import { worktreeForms } from './gitRepository';
import type { LargeFiles } from './largeFiles';
import { findLargeFiles, hashLargeFiles } from './largeFiles';
import { callIn, commonFolder } from './registeredWorktrees';
import { OWN_REPOSITORY } from './worktreeRecord';
import type { WorktreeRecord } from './worktreeRecord';

/** The mode of a nested repository: of a submodule, or of one that git added as such. */
const NESTED = '160000';
/** Bytes of an ignore or attributes file. */
const MAX_RULES = 4 * 1024 * 1024;
const PARALLEL = 64;

/** The files of a worktree. */
interface Content {
  /** Into our own repository. */
  readonly call: OwnCall;
  /** Object id. */
  readonly tree: string;
  /** Names of what git cannot add: a nested repository without a commit, an unreadable file. */
  readonly rest: readonly string[];
  /** Names of files that are too large to be read. */
  readonly large: readonly string[];
}

export interface OwnCall extends GitCall {
  readonly gitDir: string;
  readonly signal: AbortSignal;
}

interface Entry {
  readonly name: string;
  readonly mode: string;
  /** Not read from disk, as in a sparse checkout. */
  readonly isSkipped: boolean;
}

/**
 * A git call on the files of a worktree, in a repository of our own that has the objects of the start, or borrows them from the user's
 * repository if they are too many. In the user's repository, the agent could change the configuration, index and references, and so run
 * programs, hide files or fake the start. Each call would also add objects there.
 * @throws ParleyError when the folder is gone
 */
export async function ownRepositoryCall(
  git: Git,
  { repository, path, head }: WorktreeRecord,
  signal: AbortSignal,
): Promise<OwnCall> {
  if (!(await isFolder(path)))
    throw new ParleyError('folderNotFound', t('The folder {0} of the worktree does not exist', path), {
      nextStep: t('Discard the worktree.'),
    });
  const gitDir = join(dirname(path), OWN_REPOSITORY);
  const call = { cwd: path, gitDir, workTree: path, signal };
  const alternates = join(gitDir, 'objects', 'info', 'alternates');
  const current = await readFile(alternates, 'utf8').catch(() => undefined);
  // It borrows nothing.
  if (current === '') return call;
  // Git has named this folder before, and each process takes time.
  const usual = join(repository, '.git');
  if (current === `${join(usual, 'objects')}\n` && (await isFolder(usual))) return call;
  const common = await commonFolder(git, repository, signal);
  if (!(await isFolder(join(gitDir, 'objects')))) {
    const format = head.length === 64 ? ['--object-format=sha256'] : [];
    await git.run(['init', '-q', '--template=', ...format], call);
    // Read only once: an agent could change these rules later to hide files, without a trace in the worktree.
    const ignored = await Promise.all(
      [await globalExcludes(git, repository), join(common, 'info/exclude')].map(rulesIn),
    );
    await writeFileAtomic(join(gitDir, 'info', 'exclude'), ignored.join('\n'));
    await writeFileAtomic(join(gitDir, 'info', 'attributes'), await rulesIn(join(common, 'info', 'attributes')));
  }
  const objects = `${join(common, 'objects')}\n`;
  // The user may have moved the repository.
  if (current !== objects) await writeFileAtomic(alternates, objects);
  return call;
}

/** A call that also finds the commits of the user's repository. */
export async function withUserObjects(git: Git, call: OwnCall, repository: string): Promise<OwnCall> {
  return { ...call, objects: join(await commonFolder(git, repository, call.signal), 'objects') };
}

/**
 * Reads the files of a new worktree for the first time.
 * @param index of the worktree, written by our own git
 * @param extra names of copied files and linked folders that git ignores
 * @returns the tree that its changes are compared with
 */
export async function startContent(
  git: Git,
  record: WorktreeRecord,
  index: string,
  { ignored, links }: { readonly ignored: readonly string[]; readonly links: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const call = await ownRepositoryCall(git, record, signal);
  await copyIndex(index, join(call.gitDir, 'index'));
  // A pattern such as `node_modules/` ignores the folder, but not a link to it.
  const patterns = links.map((name) => `\n/${name.replace(/[\\*?[\] ]/g, '\\$&')}`).join('');
  await appendFile(join(call.gitDir, 'info', 'exclude'), patterns);
  if (ignored.length > 0) {
    const input = ignored.map((name) => `${name}\0`).join('');
    await git.run(['update-index', '--add', '--remove', '-z', '--stdin'], {
      ...call,
      index: ignoredIndex(call),
      input,
    });
  }
  const { tree } = await contentIn(git, record, call);
  const { ownObjects } = await import('../node/ownGitObjects');
  // Otherwise the objects stay borrowed.
  await ownObjects(git, call).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
  });
  return tree;
}

/** Names of copied files that git ignores. */
export async function copiedIgnoredFiles(git: Git, call: OwnCall): Promise<readonly string[]> {
  const index = ignoredIndex(call);
  return (await pathExists(index)) ? git.fields(['ls-files', '-z'], { ...call, index }) : [];
}

/** All files that git does not ignore, or that its index has. */
export async function worktreeContent(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<Content> {
  const [call, tracked] = await Promise.all([
    ownRepositoryCall(git, record, signal),
    trackedNames(git, record, signal),
  ]);
  return contentIn(git, record, call, tracked);
}

/** The names in the index of a worktree, which the agent can damage. */
async function trackedNames(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return (await indexNames(git, await callIn(git, record, signal))).names;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return [];
  }
}

const NO_LARGE: LargeFiles = { hashed: [], leftOut: [] };

/** @param tracked names that count although an ignore rule matches them; undefined at the start, when all files are stored */
async function contentIn(
  git: Git,
  record: WorktreeRecord,
  call: OwnCall,
  tracked?: readonly string[],
): Promise<Content> {
  const settings = await worktreeForms(git, record.repository);
  const base = record.base ?? record.head;
  const index = join(call.gitDir, 'index');
  const copy = join(call.gitDir, `index-${randomUUID()}`);
  const ours = { ...call, index: copy };
  try {
    // The index has the times of the known files, so that only changed files are read.
    await copyIndex(index, copy).catch(() => git.run(['read-tree', base], ours));
    const known = await readAllEntries(git, record.path, ours);
    const unknown = (tracked ?? []).filter((name) => !known.has(name));
    const large = tracked ? await findLargeFiles(git, settings, ours, base, tracked, unknown) : NO_LARGE;
    const add = [...settings, 'add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'];
    const input = ['.', ...[large.hashed, large.leftOut].flat().map((name) => `:(exclude,literal)${name}`)].join('\0');
    const added = await git.finish(add, { ...ours, input, hasPlainPaths: true, accept: [0, 1] });
    await hashLargeFiles(git, settings, ours, large);
    const unreadable = await addIgnored(git, settings, ours, unknown);
    const others = [...settings, 'ls-files', '-z', '--others', '--exclude-standard'];
    const rest = added.code === 0 ? [] : await git.fields(others, ours);
    const tree = await git.text([...settings, 'write-tree', '--missing-ok'], ours);
    // Kept for the next call. Fails if another window does the same at this moment.
    await rename(copy, index).catch(() => undefined);
    const left = [...rest.map((name) => name.replace(/\/$/, '')), ...unreadable, ...unreadFolders(added.warnings)];
    const leftOut = new Set(large.leftOut);
    return { call, tree, rest: [...new Set(left)].filter((name) => !leftOut.has(name)), large: large.leftOut };
  } catch (error) {
    await removeUnfinishedObjects(join(call.gitDir, 'objects'));
    throw error;
  } finally {
    await rm(copy, { force: true });
    await rm(`${copy}.lock`, { force: true });
  }
}

/**
 * Stores a file that was only hashed.
 * @throws ParleyError if it has another content now
 */
export async function storeContent(
  git: Git,
  { repository }: WorktreeRecord,
  call: OwnCall,
  name: string,
  object: string,
): Promise<void> {
  try {
    const store = [...(await worktreeForms(git, repository)), 'hash-object', '-w', '--', name];
    if ((await git.text(store, call)) === object) return;
  } catch (error) {
    await removeUnfinishedObjects(join(call.gitDir, 'objects'));
    throw error;
  }
  throw new ParleyError('conflict', t('The file was changed in the meantime; try again'));
}

/** Git leaves them when it is ended while it stores a large file, and the next try leaves more. Never rejects. */
async function removeUnfinishedObjects(objects: string): Promise<void> {
  for (const folder of await readdir(objects).catch(() => []))
    for (const name of await readdir(join(objects, folder)).catch(() => []))
      if (name.startsWith('tmp_')) await rm(join(objects, folder, name), { force: true }).catch(() => undefined);
}

/** Names of the nested repositories in a tree that have files in the worktree. Changes inside them are not read. */
export async function nestedRepositories(git: Git, path: string, tree: string, call: GitCall): Promise<string[]> {
  const fields = await git.fields(['ls-tree', '-r', '-z', tree], call);
  const names = fields.flatMap((field) => (field.startsWith(NESTED) ? [field.slice(field.indexOf('\t') + 1)] : []));
  return filterAsync(names, async (name) => !(await isEmptyFolder(join(path, name))));
}

/**
 * Adds those of the names to an index that it lacks, also ignored ones.
 * @returns names of what git cannot add
 */
async function addIgnored(
  git: Git,
  settings: readonly string[],
  call: GitCall,
  names: readonly string[],
): Promise<readonly string[]> {
  const { files, nested } = await namesOnDisk(call.cwd, names);
  const findLacked = async (): Promise<readonly string[]> => {
    const known = new Set(files.length + nested.length > 0 ? await git.fields(['ls-files', '-z'], call) : []);
    return [...files, ...nested].filter((name) => !known.has(name));
  };
  const lacked = await findLacked();
  if (lacked.length === 0) return [];
  const add = [...settings, 'add', '--force', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'];
  const isComplete = (await git.exitCode(add, { ...call, input: lacked.join('\0'), accept: [0, 1] })) === 0;
  return isComplete ? [] : findLacked();
}

/**
 * Prepares an index so that `git add` reads every file, but only the commit of a nested repository. In a known nested
 * repository, git would run `git status`, and with it programs from a configuration that the agent can write.
 * @returns the names that are left in it
 */
async function readAllEntries(git: Git, path: string, call: GitCall): Promise<ReadonlySet<string>> {
  const entries = (await git.fields(['ls-files', '-z', '-t', '-s'], call)).flatMap(entryOf);
  const [nested, skipped] = [entries.filter(({ mode }) => mode === NESTED), entries.filter((each) => each.isSkipped)];
  // A submodule that was not checked out, as in every new worktree.
  const empty = await filterAsync(nested, ({ name }) => isEmptyFolder(join(path, name)));
  const filled = nested.filter((entry) => !empty.includes(entry));
  const seen = await filterAsync(skipped, ({ name }) => pathExists(join(path, name)));
  const change = async (how: string, some: readonly Entry[]): Promise<void> => {
    if (some.length === 0) return;
    const input = some.map(({ name }) => `${name}\0`).join('');
    await git.run(['update-index', how, '-z', '--stdin'], { ...call, input });
  };
  // `git add` then adds them as new, and reads only their commit.
  await change('--force-remove', filled);
  await change(
    '--no-skip-worktree',
    seen.filter(({ mode }) => mode !== NESTED),
  );
  await change('--skip-worktree', empty);
  return new Set(entries.flatMap((entry) => (filled.includes(entry) ? [] : entry.name)));
}

/** `<tag> <mode> <object> <stage>\t<path>` (git-ls-files, output). */
function entryOf(field: string): Entry | [] {
  const [, tag, mode, name] = /^(\S) (\d+) \S+ \d\t([\s\S]+)$/.exec(field) ?? [];
  return mode === undefined || name === undefined ? [] : { name, mode, isSkipped: tag === 'S' };
}

async function filterAsync<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < all.length; from += PARALLEL) {
    const some = all.slice(from, from + PARALLEL);
    // A fixed number of checks runs at a time.
    const answers = await Promise.all(some.map(holds));
    found.push(...some.filter((_one, at) => answers[at]));
  }
  return found;
}

async function rulesIn(file: string): Promise<string> {
  return (await readPlainFile(file, MAX_RULES))?.toString() ?? '';
}

async function isEmptyFolder(path: string): Promise<boolean> {
  return (await isFolder(path)) && (await readdir(path).catch(() => undefined))?.length === 0;
}

/**
 * Copies the index with its file time: git reads files again that were written in the same second as the index
 * (gitformat-index, "racy").
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

function ignoredIndex({ gitDir }: OwnCall): string {
  return join(gitDir, 'ignored-index');
}
