// Protected by test/unit/review/skippedFiles.test.ts: files that git cannot read are named, and keep no earlier content.
import type { Git, GitCall } from '../../node/gitCommand';
import { toFields } from '../../node/gitCommand';
import { unreadFolders } from '../../node/indexNames';
import { toPairs } from './rawDiff';
import type { UserIndex } from './userIndex';

/** What differs from our index. Names are relative to the top, with forward slashes. */
export interface Comparison {
  /** Also all known names in unread folders. */
  readonly changed: readonly string[];
  /** Repositories. */
  readonly nested: readonly string[];
  /** In our index. */
  readonly known: readonly string[];
  /** Names that are not UTF-8, with one character for each byte. */
  readonly odd: readonly string[];
  /** Folders that cannot be read. */
  readonly unread: readonly string[];
}

/**
 * Compares the files on disk with our index.
 * @param scope arguments that limit the files
 * @param findMatched finds names that an ignore rule matches
 */
export async function compareWithIndex(
  git: Git,
  call: GitCall,
  scope: readonly string[],
  userIndex: UserIndex | undefined,
  findMatched: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<Comparison> {
  const [tracked, listed] = await Promise.all([
    git.finish(['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=all', ...scope], call),
    git.names(['ls-files', '-c', '-o', '-t', '-z', '--exclude-standard', ...scope], call),
    userIndex?.read(scope, call.signal),
  ]);
  // `<tag> <path>`: `?` is a file that the index does not have (git-ls-files, options).
  const [known, others]: [string[], string[]] = [[], []];
  for (const entry of listed.names) (entry.startsWith('?') ? others : known).push(entry.slice(2));
  others.push(...((await userIndex?.find(known, others, findMatched)) ?? []));
  const odd = [...listed.odd.map((entry) => entry.slice(2)), ...(userIndex?.odd ?? [])];
  const mangled = new Set(odd.map((name) => Buffer.from(name, 'latin1').toString()));
  const pairs = toPairs(toFields(tracked.out.toString()));
  const unread = unreadFolders(listed.warnings + tracked.warnings);
  const hidden = known.filter((name) => unread.some((folder) => name.startsWith(`${folder}/`)));
  const files = others.filter((name) => !name.endsWith('/'));
  const changed = pairs.flatMap(({ path }) => (mangled.has(path) ? [] : path));
  return {
    changed: [...new Set([...changed, ...files, ...hidden])],
    nested: others.flatMap((name) => (name.endsWith('/') ? name.slice(0, -1) : [])),
    known,
    odd,
    unread,
  };
}
