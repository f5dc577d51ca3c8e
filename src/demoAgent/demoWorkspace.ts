import type { Dirent } from 'node:fs';
import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const TEXT = /\.(md|txt|json|jsonc|ya?ml|toml|[cm]?[jt]sx?|py|rb|rs|go|java|kt|cs|c|h|cpp|hpp|sh|css|html|xml|sql)$/i;
const README = /^readme(\.(md|txt|rst|adoc))?$/i;
const MAX_BYTES = 256 * 1024;

/** Whether a folder is the top of a git worktree that is not the main one: `.git` is a file there. */
export function isLinkedWorktree(folder: string): boolean {
  return statSync(join(folder, '.git'), { throwIfNoEntry: false })?.isFile() === true;
}

/** The demo's own file in a workspace folder. */
export function demoFileIn(folder: string): string {
  return join(folder, 'parley-demo.md');
}

/**
 * A text file in `folder`: its readme, else another small text file, else one of a subfolder. Undefined without one, or
 * when the folder cannot be listed.
 */
export async function findTextFile(folder: string): Promise<string | undefined> {
  const entries = await list(folder);
  const found = await firstText(folder, entries);
  if (found) return found;
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name === 'node_modules') continue;
    const inside = join(folder, entry.name);
    const deeper = await firstText(inside, await list(inside));
    if (deeper) return deeper;
  }
  return undefined;
}

async function firstText(folder: string, entries: readonly Dirent[]): Promise<string | undefined> {
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  const candidates = [...files.filter((name) => README.test(name)), ...files.filter((name) => TEXT.test(name))];
  for (const name of candidates) {
    const path = join(folder, name);
    const size = await stat(path).then(
      (found) => found.size,
      () => Number.POSITIVE_INFINITY,
    );
    if (size > 0 && size <= MAX_BYTES) return path;
  }
  return undefined;
}

/** The entries of a folder by name, without hidden ones, which may be private. */
async function list(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
