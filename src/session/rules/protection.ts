import { t } from '../../base/l10n';
import type { Facts } from './facts';
import { MAX_FOLDERS } from './facts';
import { isAbsolutePath, pathFrom, placeIn } from './places';
import { fileUse, leavesUnsaid, pathWords } from './programs';
import { protectedBecause } from './protected';
import type { RuleRequest } from './request';
import { onlyReads } from './request';
import { decidingVariable } from './variables';

/** Every name of a file: where links are, those that they lead to as well. */
export type NamesOf = (path: string) => readonly string[];

/**
 * Why a request is asked about whatever the rules allow: it leaves the workspace, or touches files that run later, steer agents, or
 * hold credentials (experience.md, section 6; CVE-2025-53773, CVE-2025-59944 and their kind). One sentence; undefined when nothing speaks against it.
 */
export function protectionOf(request: RuleRequest, facts: Facts, namesOf: NamesOf): string | undefined {
  const { folders, paths, kind, command } = request;
  if (folders.length === 0 && (paths.length > 0 || facts.runs))
    return t('no folder is open, so everything is outside the workspace');
  const use = onlyReads(kind) ? 'reads' : 'writes';
  for (const path of paths) {
    const why = placeProblem(folders, path, use);
    if (why !== undefined) return why;
  }
  if (command?.cwd !== undefined && placeIn(folders, command.cwd) === undefined)
    return t('it runs in {0}, outside the workspace', command.cwd);
  return facts.runs ? commandProblem(request, facts, namesOf) : undefined;
}

/**
 * Words that may be files, times the folders that they may be meant from, of one command: each is looked up on the disk, while everything
 * waits (I3).
 */
export const MAX_LOOKUPS = 1_000;

function commandProblem(request: RuleRequest, facts: Facts, namesOf: NamesOf): string | undefined {
  const { command = {} } = request;
  const { inner, sets = [], innerSets } = facts;
  const variable = decidingVariable(command, { inner, sets: [...sets, ...innerSets] });
  if (variable !== undefined) return t('it sets {0}, which decides what is run', variable);
  if (facts.bases.length > MAX_FOLDERS || lookups(facts) > MAX_LOOKUPS)
    return t('it names more files and folders than can be looked at');
  return namedProblem(request, facts, namesOf);
}

function lookups({ commands, redirects, bases }: Facts): number {
  const words = commands.flatMap((argv) => (fileUse(argv) === 'none' ? [] : pathWords(argv)));
  return new Set([...words, ...redirects.map(({ target }) => target)]).size * bases.length;
}

function namedProblem(
  { folders }: RuleRequest,
  { commands, redirects, bases }: Facts,
  namesOf: NamesOf,
): string | undefined {
  const seen = new Set<string>();
  const problem = (word: string, use: 'reads' | 'writes'): string | undefined => {
    // A home folder is outside the workspace, wherever it is; the word may also be no path at all.
    if (word.startsWith('~')) return t('{0} is outside the workspace', word);
    const key = `${use} ${word}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    return bases.map((base) => wordProblem(folders, namesOf, base, word, use)).find((why) => why !== undefined);
  };
  for (const { target, writes } of redirects) {
    const why = problem(target, writes ? 'writes' : 'reads');
    if (why !== undefined) return why;
  }
  for (const argv of commands) {
    if (leavesUnsaid(argv)) return t('“{0}” goes to your home folder, or where the shell was before', argv.join(' '));
    const use = fileUse(argv);
    const words = use === 'none' ? [] : pathWords(argv);
    const why = words
      .map((word) => problem(word, use === 'writes' ? use : 'reads'))
      .find((found) => found !== undefined);
    if (why !== undefined) return why;
  }
  return undefined;
}

const DEVICES = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|u?random|fd\/\d+)$|^NUL$/i;

/** As {@link placeProblem}, for a word that may be a path: one that is no path of this kind lies inside and is not protected. */
function wordProblem(
  folders: readonly string[],
  namesOf: NamesOf,
  base: string,
  word: string,
  use: 'reads' | 'writes',
): string | undefined {
  if (word === '' || DEVICES.test(word)) return undefined;
  // The drive's own current folder, or a device: nobody knows where that is.
  if (/^[A-Za-z]:(?![\\/])/.test(word)) return t('{0} may be outside the workspace', word);
  // "\x" is from the root of a drive on Windows, and a name elsewhere.
  const path = isAbsolutePath(word) ? word : pathFrom(base, word);
  // PowerShell takes a backslash for a slash on every system.
  const slashed = word.includes('\\') ? [pathFrom(base, word.replaceAll('\\', '/'))] : [];
  return [path, ...slashed]
    .flatMap((name) => namesOf(name))
    .map((name) => placeProblem(folders, name, use))
    .find((why) => why !== undefined);
}

function placeProblem(folders: readonly string[], path: string, use: 'reads' | 'writes'): string | undefined {
  const place = placeIn(folders, path);
  if (place === undefined) return t('{0} is outside the workspace', path);
  const why = protectedBecause(place, use);
  return why && `${place} ${why}`;
}
