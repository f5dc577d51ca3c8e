import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_OPEN_FILES, mapLimited } from '../base/async';
import { beyondLinks } from './fs/pinnedFolder';
import { pathExists } from './fs/realPaths';
import type { Git, GitCall } from './gitCommand';

/** Names marked as skipped that may be on disk. A sparse checkout has more; git itself takes the mark from those on disk. */
const MAX_SKIPPED = 1_000;

/** Names that git would not add, and that a hostile index can have: outside of the folder, or in a repository's own. */
const UNSAFE = /(?:^|[/\\])(?:\.{0,2}|\.git|git~\d+)(?:[/\\]|$)/i;

/** Whether git takes a name of an index, which can be hostile, for a file of the folder. */
export function isNameInFolder(name: string): boolean {
  return !UNSAFE.test(name);
}

/**
 * The names in an index of the user's, also of files that an ignore rule matches: `git add` and `ls-files --others` leave out those for
 * another index.
 * @param call in the top folder
 * @param scope arguments that limit the files
 * @returns `odd` as in {@link Git.names}
 */
export async function indexNames(
  git: Git,
  call: GitCall,
  scope: readonly string[] = [],
): Promise<{ readonly names: readonly string[]; readonly odd: readonly string[] }> {
  const { names, odd } = await git.names(['ls-files', '-t', '-z', ...scope], call);
  // `S <path>` is not compared with the disk (git-ls-files, options).
  const compared = names.filter((entry) => !entry.startsWith('S '));
  const found = names.length - compared.length > MAX_SKIPPED ? compared : names;
  return { names: found.map((entry) => entry.slice(2)), odd: odd.map((entry) => entry.slice(2)) };
}

/**
 * Of names in an index, those of files and links, and of nested repositories. Nothing beyond a link is there.
 * @param top absolute, without links
 */
export async function namesOnDisk(
  top: string,
  names: Iterable<string>,
): Promise<{ readonly files: string[]; readonly nested: string[] }> {
  const safe = [...new Set(names)].filter(isNameInFolder);
  const kinds = await mapLimited(safe, MAX_OPEN_FILES, async (name) => {
    const info = await lstat(join(top, name)).catch(() => undefined);
    if (!info) return 'none';
    if (!info.isDirectory()) return 'file';
    return (await pathExists(join(top, name, '.git'))) ? 'nested' : 'none';
  });
  const present = safe.filter((_, at) => kinds[at] !== 'none');
  const beyond = await beyondLinks(present.map((name) => join(top, name)));
  const of = (kind: 'file' | 'nested'): string[] =>
    safe.filter((name, at) => kinds[at] === kind && !beyond.has(join(top, name)));
  return { files: of('file'), nested: of('nested') };
}

/**
 * The folders that git cannot list, or whose files it cannot look at: it leaves them out with a warning only. Without a slash at the end.
 * @param warnings of one or more commands
 */
export function unreadFolders(warnings: string): readonly string[] {
  const found = warnings.matchAll(
    /^(?:warning: could not open directory '(.*?)\/?': .*|(?!error: |fatal: |warning: )(.+)\/.*: Permission denied)$/gm,
  );
  return [...new Set(Array.from(found, ([, listed, parent]) => listed ?? parent ?? ''))];
}
