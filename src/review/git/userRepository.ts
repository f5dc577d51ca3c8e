import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CanceledError } from '../../base/errors';
import { readPlainFile } from '../../node/fs/overwriteFile';
import type { Git, GitCall } from './gitCommand';

/** The repository of the user that a folder lies in. It is only ever read. */
export interface UserRepository {
  /** The work tree's top folder, with links resolved. */
  readonly top: string;
  /** The folder below `top`, with forward slashes and one at its end; empty when it is `top`. */
  readonly prefix: string;
  readonly gitDir: string;
  readonly objects: string;
  readonly index: string;
  /** `.git/info/exclude`. */
  readonly exclude: string;
  readonly attributes: string;
  readonly objectFormat: string;
}

const QUESTIONS = ['objects', 'index', 'info/exclude', 'info/attributes'] as const;

/**
 * Finds the repository of a folder; undefined where there is none that git would use (a bare one, one of another user).
 * @throws CanceledError when it was called off: a folder on a computer that does not answer can hold git up for ever
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
  const inside = relative(top, real);
  // `core.worktree` of a hostile repository may name any place.
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
  // A folder that its repository ignores (a home folder under git, say) stands for itself.
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
  };
}

async function isIgnored(git: Git, path: string, call: GitCall): Promise<boolean> {
  const answer = await git
    .run(['check-ignore', '--', `./${path}`], { ...call, plainPaths: true, accept: [0, 1] })
    .catch(() => Buffer.alloc(0));
  return answer.length > 0;
}

/** The file in which the user keeps what git is to ignore everywhere (`core.excludesFile`). */
export async function globalExcludes(git: Git, folder: string): Promise<string> {
  const configured = (await git.configuration(folder, '^core\\.excludesfile$')).get('core.excludesfile');
  const config = process.env['XDG_CONFIG_HOME'] || join(process.env['HOME'] ?? '', '.config');
  return configured ?? join(config, 'git', 'ignore');
}

/** Bytes; no file of ignore rules is larger. */
const MAX_RULES = 4 * 1024 * 1024;

/**
 * Ignore rules outside of `.gitignore` files.
 * @param files the later ones win (gitignore, precedence)
 */
export async function ignoreRules(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readPlainFile(file, MAX_RULES)));
  return texts.map((text) => text?.toString() ?? '').join('\n');
}
