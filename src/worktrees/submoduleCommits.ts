import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../node/gitCommand';

/** Depth of a submodule in another one, each with a path of several names. */
const MAX_DEPTH = 20;

/**
 * First lines of the commits that only the submodules of a worktree have: git keeps their repositories in the worktree's own folder, also
 * after a submodule has left the files.
 * @param gitDir the worktree's folder in its repository
 */
export async function submoduleCommits(git: Git, gitDir: string, signal: AbortSignal): Promise<readonly string[]> {
  const modules = join(gitDir, 'modules');
  const lines: string[] = [];
  for (const name of await repositoriesBelow(modules, '', MAX_DEPTH)) {
    const folder = join(modules, name);
    // The work tree may be gone, and is not read.
    const call = { cwd: folder, gitDir: folder, workTree: folder, isUserRepository: true, signal } as const;
    const args = ['log', '--format=%h %s', '--max-count=100', '--all', '--reflog', '--not', '--remotes'];
    // Of a damaged repository, nobody knows what it has.
    const out = await git.text(args, call).catch(() => '…');
    signal.throwIfAborted();
    if (out !== '') lines.push(...out.split('\n').map((line) => `${name}: ${line}`));
  }
  return lines;
}

/** Relative to `top`. Follows no links. */
async function repositoriesBelow(top: string, name: string, depth: number): Promise<string[]> {
  const entries = await readdir(join(top, name), { withFileTypes: true }).catch(() => []);
  const isRepository = ['objects', 'HEAD'].every((each) => entries.some((entry) => entry.name === each));
  // A repository has those of its own submodules in one folder.
  const folders = entries.filter((entry) => entry.isDirectory() && (!isRepository || entry.name === 'modules'));
  const found = isRepository ? [name] : [];
  if (depth > 0)
    for (const entry of folders) found.push(...(await repositoriesBelow(top, join(name, entry.name), depth - 1)));
  return found;
}
