import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git } from '../../node/gitCommand';
import { readGitObjects } from '../../node/readGitObjects';

/**
 * What the `.gitignore` files of a tree ignore, with the other rules of now.
 * @param gitDir of our repository, absolute
 * @param names relative to the top
 */
export async function ignoredIn(git: Git, gitDir: string, tree: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const listed = await git.fields(['ls-tree', '-r', '-z', '--full-tree', tree], { cwd: gitDir, gitDir });
  // `<mode> blob <object>\t<path>`; git does not follow links with this name.
  const rules = listed.flatMap((field) => /^100\d+ blob (\w+)\t((?:.*\/)?\.gitignore)$/s.exec(field) ?? []);
  const entries = Array.from({ length: rules.length / 3 }, (_, at) => rules.slice(at * 3 + 1, at * 3 + 3));
  const objects = entries.map(([object = '']) => object);
  const contents = await readGitObjects(git, { cwd: gitDir, gitDir }, objects);
  const folder = await mkdtemp(join(gitDir, 'rules-'));
  try {
    for (const [at, [, name = '']] of entries.entries()) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), contents[at] ?? '');
    }
    // Prevents pathspec magic in names that begin with a colon.
    const input = names.map((name) => `./${name}\0`).join('');
    const args = ['check-ignore', '-z', '--stdin', '--no-index'];
    const call = { cwd: folder, workTree: folder, gitDir, input, hasPlainPaths: true, accept: [0, 1] } as const;
    return (await git.fields(args, call)).map((name) => name.replace(/^\.\//, ''));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
