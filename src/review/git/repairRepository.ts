import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ParleyError, isCancellation } from '../../base/errors';
import { moveAside } from '../../node/fs/moveAside';
import { isThere, readIfThere } from '../../node/fs/readIfThere';
import type { Git, GitCall } from '../../node/gitCommand';
import { removeEntries } from './updateIndex';

/** What git says of a file that it can read and that has a wrong content. After other failures, git may work the next time. */
const DAMAGED =
  /bad (config|numeric|boolean|signature|index|object|tree)|corrupt|index file smaller|unordered|malformed|unknown (index|repository)|repo version|do not understand|invalid object/;

/**
 * Repairs our repository if it is damaged. The index is made anew from the files; only if that is not enough, the repository is moved aside.
 * @returns what must be created anew; undefined if nothing is damaged, or nobody knows
 */
export async function repair(git: Git, gitDir: string): Promise<'index' | 'repository' | undefined> {
  if (!(await isDamaged(git, gitDir))) return undefined;
  await rm(join(gitDir, 'index'), { recursive: true, force: true }).catch(() => undefined);
  if (!(await isDamaged(git, gitDir))) return 'index';
  await moveAside(gitDir);
  return 'repository';
}

/**
 * Whether our repository is damaged: its HEAD, config, index and folders. False where nobody knows: git does not start, is killed or takes too
 * long, or a file cannot be read.
 */
async function isDamaged(git: Git, gitDir: string): Promise<boolean> {
  try {
    // Without this file git would convert contents.
    const isComplete = await isOf(join(gitDir, 'info', 'attributes'), 'file');
    if (!isComplete || !(await isOf(join(gitDir, 'HEAD'), 'file')) || !(await isWholeIndex(join(gitDir, 'index'))))
      return true;
    // Git would say the same of files that it cannot read.
    if (!/^(ref: refs\/|[0-9a-f]{40})/.test(String((await readIfThere(join(gitDir, 'HEAD'))) ?? ''))) return true;
    for (const name of ['objects', 'refs']) if (!(await isOf(join(gitDir, name), 'folder'))) return true;
    // Reads the whole index, and lists nothing.
    await git.run(['ls-files', '--unmerged'], { cwd: dirname(gitDir), gitDir });
    return false;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return ParleyError.is(error) && DAMAGED.test(error.detail ?? '');
  }
}

/** @throws system errors when nobody knows */
async function isOf(path: string, kind: 'file' | 'folder'): Promise<boolean> {
  if (!(await isThere(path))) return false;
  const info = await stat(path);
  return kind === 'file' ? info.isFile() : info.isDirectory();
}

/**
 * Whether the checksum at the end of an index fits, which git does not check when it reads; true for a missing one, false for a folder.
 * @throws system errors when it cannot be read
 */
export async function isWholeIndex(index: string): Promise<boolean> {
  if (await isOf(index, 'folder')) return false;
  const bytes = await readIfThere(index);
  if (!bytes) return true;
  return ['sha1', 'sha256'].some((format) => {
    const size = format === 'sha1' ? 20 : 32;
    const checksum = bytes.subarray(-size);
    // Zeros: `index.skipHash` of the user.
    if (bytes.length > size && checksum.every((byte) => byte === 0)) return true;
    return createHash(format).update(bytes.subarray(0, -size)).digest().equals(checksum);
  });
}

/** A call in our repository. */
type OwnCall = GitCall & { readonly gitDir: string };

interface IndexEntry {
  readonly object: string;
  /** Relative to `cwd` of the call, with forward slashes. */
  readonly path: string;
}

/**
 * Index entries whose object is lost, since most objects are borrowed from the user's repository: it can be created anew or pruned.
 * @param scope arguments that limit the files
 * @throws Error when the index is damaged
 */
export async function lostEntries(git: Git, call: OwnCall, scope: readonly string[]): Promise<IndexEntry[]> {
  if (!(await isWholeIndex(join(call.gitDir, 'index')))) throw new Error('damaged index');
  const entries = (await git.fields(['ls-files', '-s', '-z', ...scope], call)).map((field) => ({
    object: field.split(' ')[1] ?? '',
    path: field.slice(field.indexOf('\t') + 1),
  }));
  if (entries.length === 0) return [];
  const input = entries.map(({ object }) => `${object}\n`).join('');
  const answers = (await git.text(['cat-file', '--batch-check=%(objecttype)', '--buffer'], { ...call, input })).split(
    '\n',
  );
  return entries.filter((_, at) => answers[at]?.endsWith(' missing'));
}

/**
 * Removes lost entries from our index.
 * @returns their paths, to add from disk
 */
export async function dropEntries(git: Git, call: OwnCall, lost: readonly IndexEntry[]): Promise<string[]> {
  for (const { object } of lost) {
    // git would take a damaged file for the object, and not write it again.
    await rm(join(call.gitDir, 'objects', object.slice(0, 2), object.slice(2)), { force: true });
  }
  if (lost.length > 0) await removeEmptyObjects(join(call.gitDir, 'objects'));
  const paths = lost.map(({ path }) => path);
  await removeEntries(git, call, paths);
  return paths;
}

/** A crash of the computer can leave empty files, which git would also take for trees that it has written. */
async function removeEmptyObjects(objects: string): Promise<void> {
  for (const folder of (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await readdir(join(objects, folder))) {
      const file = join(objects, folder, name);
      if ((await stat(file)).size === 0) await rm(file, { force: true });
    }
  }
}
