import { t } from '../../base/l10n';
import { foldCase } from '../../base/pathText';
import { pathWords } from '../programs/pathWords';
import { programOf } from '../programs/programNames';
import type { Disk } from './disk';
import type { FinalCommand } from './finalCommands';
import { normalizePath, resolveFrom } from './rulePaths';

/**
 * Links that a line moves, copies or makes: the names in the rest of the line then lead elsewhere than the disk shows
 * before the line runs.
 */

/**
 * Why a line asks, in one sentence; undefined for a single command, whose next one is looked up anew.
 * @param finalCommands everything that the line runs
 * @param targets of redirects
 * @param bases where it may run
 * @param matches the files that a word means, which may be a pattern
 */
export function linkProblem(
  finalCommands: readonly FinalCommand[],
  targets: readonly string[],
  bases: readonly string[],
  disk: Disk,
  matches: (base: string, word: string) => readonly string[],
): string | undefined {
  if (finalCommands.length < 2) return undefined;
  for (const final of finalCommands) {
    for (const base of bases) {
      const moved = movedWords(final).find((word) =>
        matches(base, word).some((path) => isLink(disk, path) || hasLinkOut(disk, path)),
      );
      if (moved !== undefined) return t('{0} is or contains a link, which leads elsewhere after it is moved', moved);
    }
    const used = usedThrough(final, finalCommands, targets, bases);
    if (used !== undefined) return t('{0} may be reached by a link that the command itself makes', used);
  }
  return undefined;
}

function movedWords({ argv, use }: FinalCommand): readonly string[] {
  return use.moved ?? (programOf(argv)?.moves ? use.writes : []);
}

/** Whether the last name of a path is a link, wherever its folder is. */
function isLink({ namesOf }: Disk, path: string): boolean {
  const [, folder = '', name = ''] = /^(.*)\/([^/]+)\/*$/s.exec(path) ?? [];
  if (folder === '' || name === '.' || name === '..') return false;
  return folded(namesOf(path).at(-1) ?? path) !== folded(`${namesOf(folder).at(-1) ?? folder}/${name}`);
}

/** Whether a link below the folder leads out of it. */
function hasLinkOut({ namesOf, below }: Disk, path: string): boolean {
  const folders = namesOf(path).map((name) => `${folded(name)}/`);
  return below(path, 'all')?.every((name) => folders.some((folder) => folded(name).startsWith(folder))) === false;
}

function folded(path: string): string {
  return foldCase(normalizePath(path));
}

/** The first word of another command, or target of a redirect, that may lead through a link of this command. */
function usedThrough(
  own: FinalCommand,
  finalCommands: readonly FinalCommand[],
  targets: readonly string[],
  bases: readonly string[],
): string | undefined {
  const { links = [] } = own.use;
  if (links.length === 0) return undefined;
  const at = (word: string): readonly string[] => bases.map((base) => folded(resolveFrom(base, word)));
  const made = links.flatMap(at);
  const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const uses = (word: string, isDeep = false): boolean =>
    UPWARD.test(word) ||
    at(word).some((path) => made.some((link) => isBelow(path, link) || (isDeep && isBelow(link, path))));
  const used = finalCommands
    .filter((final) => final !== own)
    .map(({ argv, use }) => {
      const isDeep = use.below !== undefined || use.shows !== undefined;
      const words = [argv[0] ?? '', ...pathWords(argv.slice(1)), ...use.reads, ...use.writes];
      return words.find((word) => uses(word, isDeep));
    });
  return used.find((word) => word !== undefined) ?? targets.find((target) => uses(target));
}

/** After a link, `..` goes up from its target. */
const UPWARD = /(?:^|[\\/])\.\.(?:[\\/]|$)/;
