import type { Git, GitCall } from '../../node/gitCommand';

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
