import { createHash } from 'node:crypto';
import { realpath, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { CanceledError } from '../../base/errors';
import { foldsCase } from '../../node/fs/foldsCase';
import { readPlainFile } from '../../node/fs/overwriteFile';
import { isInside, pathExists } from '../../node/fs/realPaths';
import type { Git, GitCall } from '../../node/gitCommand';

/** The user's repository around a folder; only read. */
export interface UserRepository {
  /** Top folder of the work tree, with links resolved. */
  readonly top: string;
  /** The folder relative to `top`, with forward slashes and a trailing one; empty for `top` itself. */
  readonly prefix: string;
  readonly gitDir: string;
  readonly objects: string;
  readonly index: string;
  /** `.git/info/exclude`. */
  readonly exclude: string;
  readonly attributes: string;
  readonly objectFormat: string;
  /** `core.fileMode`: false where the file system does not store modes. */
  readonly hasModes: boolean;
}

const QUESTIONS = ['objects', 'index', 'info/exclude', 'info/attributes'] as const;

/**
 * Finds the repository of a folder; undefined where git would use none (bare, or of another user).
 * @throws CanceledError when aborted: a folder on an unresponsive computer can block git forever
 */
export async function findUserRepository(
  git: Git,
  folder: string,
  signal?: AbortSignal,
): Promise<UserRepository | undefined> {
  const paths = QUESTIONS.flatMap((path) => ['--git-path', path]);
  const args = ['rev-parse', '--show-object-format', '--show-toplevel', '--absolute-git-dir', ...paths];
  const call = { cwd: folder, ...(signal && { signal }) };
  const lines = (await git.text(args, call).catch(() => '')).split('\n');
  if (signal?.aborted) throw new CanceledError();
  const [objectFormat, shown, gitDir, objects, index, exclude, attributes] = lines;
  if (!objectFormat || !shown || !gitDir || !objects || !index || !exclude || !attributes) return undefined;
  const [top, real] = await Promise.all([realpath(shown), realpath(folder)]);
  // `core.worktree` of a hostile repository may name any folder.
  if (!isInside(top, real)) return undefined;
  const inside = relative(top, real);
  // A folder that its repository ignores (such as a folder in a home folder under git) counts as a folder without a repository.
  if (inside !== '' && (await isIgnored(git, inside, { ...call, cwd: top }))) return undefined;
  return {
    top,
    prefix: inside === '' ? '' : `${inside.replaceAll(sep, '/')}/`,
    gitDir,
    objects: resolve(folder, objects),
    index: resolve(folder, index),
    exclude: resolve(folder, exclude),
    attributes: resolve(folder, attributes),
    objectFormat,
    hasModes: await hasModes(git, top),
  };
}

async function hasModes(git: Git, top: string): Promise<boolean> {
  const value = (await git.configuration(top, '^core\\.filemode$')).get('core.filemode');
  return !/^(?:false|no|off|0)$/i.test(value ?? '');
}

async function isIgnored(git: Git, path: string, call: GitCall): Promise<boolean> {
  const answer = await git
    .run(['check-ignore', '--', `./${path}`], { ...call, hasPlainPaths: true, accept: [0, 1] })
    .catch(() => Buffer.alloc(0));
  return answer.length > 0;
}

/**
 * A fingerprint of the ignore rules that do not stand in the folder: with others, files may be visible that were ignored, so that nobody has
 * created them.
 * @param excludes the user's global ignore file
 */
export async function outerRules(repository: UserRepository | undefined, excludes: string): Promise<string> {
  const hash = createHash('sha256');
  if (repository) {
    const { top, prefix, gitDir, exclude } = repository;
    const above = prefix.split('/').slice(0, -1);
    const files = above.map((_, depth) => join(top, ...above.slice(0, depth), '.gitignore'));
    hash.update(`${await pathExists(gitDir)}\n${await ignoreRules([...files, exclude])}\n`);
  }
  return hash
    .update(await ignoreRules([excludes]))
    .digest('hex')
    .slice(0, 16);
}

/**
 * Tells our repository whether the file system of the folder folds case: git has asked that of our storage.
 * @param call in the folder
 * @returns undefined where nobody knows
 */
export async function setFoldsCase(git: Git, call: GitCall): Promise<boolean | undefined> {
  const folds = await foldsCase(call.cwd);
  if (folds !== undefined) await git.run(['config', 'core.ignorecase', String(folds)], call);
  return folds;
}

/**
 * Writes the ignore rules that stand outside of `.gitignore` files into a repository of ours.
 * @param gitDir of ours
 * @param storage our storage relative to the work tree, ignored inside of it
 * @returns {@link outerRules}
 */
export async function writeRules(
  gitDir: string,
  repository: UserRepository | undefined,
  excludes: string,
  storage: string,
): Promise<string> {
  const rules = await ignoreRules([excludes, ...(repository ? [repository.exclude] : [])]);
  const storageRule = storage.startsWith('..') ? '' : `/${storage.replaceAll(sep, '/')}/`;
  await writeFile(join(gitDir, 'info', 'exclude'), `${rules}\n${storageRule}\n`);
  return outerRules(repository, excludes);
}

/** Bytes. */
const MAX_RULES = 4 * 1024 * 1024;

/**
 * Ignore rules outside of `.gitignore` files.
 * @param files later ones win (gitignore, precedence)
 */
async function ignoreRules(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readPlainFile(file, MAX_RULES)));
  return texts.map((text) => text?.toString() ?? '').join('\n');
}
