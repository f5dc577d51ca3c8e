import type { Dirent } from 'node:fs';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compileGlob } from '../../base/glob';
import { foldCase } from '../../base/pathText';
import { innermostFolder } from './realPaths';

/** Maximum number of entries that are read for the patterns of one request. */
const MAX_ENTRIES = 20_000;

const WILDCARD = /[*?[{]|[!@+]\(/;

/**
 * The existing files that patterns among the paths match, in any case and with a dot at the start; `**` stands for no folder and for each
 * folder of one level. Synchronous. Undefined if there are too many entries.
 * @param paths absolute; those outside the folders, without wildcards, or with blanks have no matches
 * @param folders of the workspace, absolute
 */
export function globMatches(paths: readonly string[], folders: readonly string[]): readonly string[] | undefined {
  const reader = new GlobFolders();
  const found = paths.flatMap((path) => {
    const folder = innermostFolder(folders, path);
    const pattern = folder === undefined ? '' : relative(folder, path).replaceAll('\\', '/');
    // Alone, a star is more often a query than a pattern of files.
    const isPattern = WILDCARD.test(pattern) && pattern !== '*' && !/\s/.test(pattern);
    return folder !== undefined && isPattern ? reader.matches(folder, pattern.split('/')) : [];
  });
  return reader.isFull ? undefined : found;
}

class GlobFolders {
  readonly #entries = new Map<string, readonly Dirent[]>();
  #left = MAX_ENTRIES;

  get isFull(): boolean {
    return this.#left < 0;
  }

  matches(folder: string, [name, ...rest]: readonly string[]): readonly string[] {
    if (name === undefined) return existsSync(folder) ? [folder] : [];
    if (!WILDCARD.test(name)) return this.matches(join(folder, name), rest);
    const matchesName = compileGlob(foldCase(name));
    const found = this.#entriesOf(folder).filter((entry) =>
      name === '**' ? entry.isDirectory() || rest.length === 0 : matchesName(foldCase(entry.name)) !== false,
    );
    const here = name === '**' && rest.length > 0 ? this.matches(folder, rest) : [];
    return [...here, ...found.flatMap((entry) => this.matches(join(folder, entry.name), rest))];
  }

  #entriesOf(folder: string): readonly Dirent[] {
    const known = this.#entries.get(folder);
    if (known) this.#left -= known.length + 1;
    // A folder that is known may be reached in too many ways, too.
    if (this.isFull) return [];
    if (known) return known;
    let read: readonly Dirent[] = [];
    try {
      read = readdirSync(folder, { withFileTypes: true });
    } catch {
      // No folder, or one that cannot be read: nothing matches.
    }
    this.#left -= read.length + 1;
    this.#entries.set(folder, read);
    return read;
  }
}
