import { copyFile, mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage, isCancellation } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { makePrivateFolder } from '../../node/fs/privateFiles';
import type { Git, GitCall } from '../../node/gitCommand';
import { removeEntries } from './updateIndex';
import type { UserRepository } from './userRepository';

/** An index entry with the recorded file size. */
interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly object: string;
  readonly stage: string;
  /** Git does not compare it with the disk (skip-worktree): in a sparse checkout, or to hide a local change. */
  readonly isSkipped: boolean;
  /** Git takes the file for unchanged (assume-unchanged, `core.ignoreStat`): to hide a local change, or to be fast. */
  readonly isAssumed: boolean;
  size: number;
}

const ATTRIBUTES = ['filter', 'ident', 'working-tree-encoding'];

/**
 * Creates our repository for a folder, with the objects and the index of the user's.
 * @param call names our repository
 * @param marker the file that is written last: a repository without it is incomplete, and is created again
 */
export async function createRepository(
  git: Git,
  call: GitCall & { readonly gitDir: string },
  folder: string,
  log: Logger,
  user: UserRepository | undefined,
  marker: string,
): Promise<void> {
  const { gitDir } = call;
  const storage = dirname(gitDir);
  await rm(gitDir, { recursive: true, force: true });
  await makePrivateFolder(storage);
  const format = user?.objectFormat ?? 'sha1';
  await git.run(['init', '-q', '--bare', '--template=', `--object-format=${format}`, gitDir], { cwd: storage });
  await git.run(['config', 'core.bare', 'false'], { cwd: storage, gitDir });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  // Overrides every .gitattributes (gitattributes, precedence): no conversion, no filter.
  await writeFile(join(gitDir, 'info', 'attributes'), '* -text -ident -filter -working-tree-encoding\n');
  if (user) {
    await writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${user.objects}\n`);
    await copyIndex(git, call, user, join(gitDir, 'index')).catch((error: unknown) => {
      if (isCancellation(error)) throw error;
      log.info('review', `Failed to copy the git index of ${folder}: ${errorMessage(error)}`);
    });
  }
  await writeFile(marker, `${folder}\n`);
}

/**
 * Starts our index from a copy of the user's, so that the first checkpoint of a large repository reads only changed files. Removes entries
 * that git stored converted (line ends, filters, encodings), or skips: ours hold the file's bytes.
 */
async function copyIndex(git: Git, call: GitCall, repository: UserRepository, index: string): Promise<void> {
  const before = await stat(repository.index).catch(() => undefined);
  // Copying a pipe would never end.
  if (!before?.isFile()) return;
  try {
    await copyFile(repository.index, index);
    // Files as new as the index are compared by content ("racy git"): a newer copy must not make them look safe.
    const second = Math.floor(before.mtimeMs / 1000);
    await utimes(index, second, second);
    const entries = await readEntries(git, call);
    const doubtful = await convertedFiles(git, call, entries);
    const odd = entries.filter(({ mode, stage, isSkipped }) => mode === '160000' || stage !== '0' || isSkipped);
    await removeEntries(git, call, [...new Set([...doubtful, ...odd.map(({ path }) => path)])]);
    const assumed = entries.flatMap(({ path, isAssumed }) => (isAssumed ? `${path}\0` : []));
    if (assumed.length > 0)
      await git.run(['update-index', '--no-assume-unchanged', '-z', '--stdin'], { ...call, input: assumed.join('') });
    await git.run(['update-index', '-q', '--really-refresh'], { ...call, accept: [0, 1] });
  } catch (error) {
    await rm(index, { force: true });
    throw error;
  }
}

/**
 * `ls-files --debug` writes per entry `<tag> <mode> <object> <stage>\t<path>\0` and lines, one with the size. With `-v`, a lower-case tag is
 * assume-unchanged.
 */
async function readEntries(git: Git, call: GitCall): Promise<Entry[]> {
  const fields = await git.fields(['ls-files', '-v', '-s', '-z', '--debug'], call);
  const entries: Entry[] = [];
  for (const field of fields) {
    const start = field.startsWith('  ctime') ? afterDebug(field) : 0;
    const last = entries.at(-1);
    if (start > 0 && last) last.size = Number(/^ {2}size: (\d+)/m.exec(field.slice(0, start))?.[1] ?? -1);
    const parsed = /^(\S) (\d+) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(field.slice(start));
    if (parsed) {
      const [, tag = '', mode = '', object = '', stage = '', path = ''] = parsed;
      const [isSkipped, isAssumed] = [tag.toUpperCase() === 'S', tag !== tag.toUpperCase()];
      entries.push({ path, mode, object, stage, isSkipped, isAssumed, size: -1 });
    }
  }
  return entries;
}

function afterDebug(field: string): number {
  const size = field.indexOf('  size:');
  const end = field.indexOf('\n', size);
  return size < 0 || end < 0 ? 0 : end + 1;
}

/** Entries whose object differs from the file's bytes: by size, or by converting attributes. */
async function convertedFiles(git: Git, call: GitCall, entries: readonly Entry[]): Promise<string[]> {
  const input = entries.map(({ object }) => `${object}\n`).join('');
  const sizes = (await git.text(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { ...call, input })).split(
    '\n',
  );
  const found = entries.filter(({ size, mode }, at) => mode.startsWith('100') && sizes[at] !== String(size));
  return [...found.map(({ path }) => path), ...(await withAttributes(git, call, entries))];
}

async function withAttributes(git: Git, call: GitCall, entries: readonly Entry[]): Promise<string[]> {
  if (!entries.some(({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes'))) return [];
  const input = entries.map(({ path }) => `${path}\0`).join('');
  // In the user's repository; ours would report no conversion.
  const fields = await git.fields(['check-attr', '-z', '--stdin', ...ATTRIBUTES], { cwd: call.cwd, input });
  const found: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, , value] = fields.slice(at, at + 3);
    if (path !== undefined && value !== 'unspecified' && value !== 'unset') found.push(path);
  }
  return found;
}
