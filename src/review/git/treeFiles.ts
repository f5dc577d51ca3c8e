import type { Git, GitCall } from '../../node/gitCommand';
import type { FileModes } from './fileModes';
import type { TreeDifference } from './rawDiff';
import { toDifferences } from './rawDiff';

/** Where a tree was recorded. */
export interface TreePlace {
  /**
   * The place of the folder in the tree, with forward slashes and a trailing one; empty for the top. The repository around a folder may come
   * or go. As now if undefined.
   */
  readonly prefix?: string;
  /** As `outerRules` returns it; undefined where nobody knows. */
  readonly rules?: string;
}

/** A recorded tree. */
export interface FolderTree extends TreePlace {
  readonly tree: string;
}

/** A tree of the files on disk. */
export interface Snapshot extends FolderTree {
  readonly prefix: string;
  /** Absolute paths of files that are too large or unreadable, and of unreadable folders. */
  readonly omitted: readonly string[];
  /** Absolute paths of nested repositories, which are not included. */
  readonly nested: readonly string[];
  readonly modes?: FileModes;
}

/** A file in a tree; bytes are undefined when the user's repository has dropped them. */
export interface TreeFile {
  readonly mode: string;
  readonly bytes: Uint8Array | undefined;
}

/** Names in an argument list. */
const NAMES_PER_CALL = 200;

/**
 * The files in a tree, by name.
 * @param names relative to the top, with forward slashes; missing ones are omitted
 */
export async function treeFiles(
  git: Git,
  call: GitCall,
  tree: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, { readonly mode: string; readonly object: string }>> {
  const found = new Map<string, { mode: string; object: string }>();
  for (let at = 0; at < names.length; at += NAMES_PER_CALL) {
    const args = ['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...names.slice(at, at + NAMES_PER_CALL)];
    for (const field of await git.fields(args, call)) {
      const [mode = '', type = '', object = ''] = field.slice(0, field.indexOf('\t')).split(' ');
      if (type === 'blob') found.set(field.slice(field.indexOf('\t') + 1), { mode, object });
    }
  }
  return found;
}

/**
 * Differences of a folder in two trees.
 * @param toPath converts a name in the folder
 */
export async function compareTrees(
  git: Git,
  call: GitCall,
  earlier: FolderTree & { readonly prefix: string },
  later: FolderTree & { readonly prefix: string },
  toPath: (name: string) => string,
): Promise<TreeDifference[]> {
  const isSamePlace = earlier.prefix === later.prefix;
  // Another repository is around the folder now.
  const trees = isSamePlace ? [earlier.tree, later.tree] : [folderIn(earlier), folderIn(later)];
  const prefix = isSamePlace ? earlier.prefix : '';
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', ...trees, '--'];
  const fields = await git.fields([...args, ...(prefix === '' ? [] : [prefix])], call);
  return toDifferences(fields, (name) => toPath(name.slice(prefix.length)));
}

/** Names the folder in a tree, for git. */
function folderIn({ tree, prefix }: FolderTree & { readonly prefix: string }): string {
  return prefix === '' ? tree : `${tree}:${prefix.slice(0, -1)}`;
}
