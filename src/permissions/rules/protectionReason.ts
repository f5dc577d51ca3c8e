import { t } from '../../base/l10n';
import { foldCase } from '../../base/pathText';
import type { Below } from '../../node/fs/realPaths';
import { goesToUnknownFolder } from '../programs/commandWords';
import { pathWords } from '../programs/pathWords';
import { isOwnProgram } from '../programs/programNames';
import { patternFolder } from '../programs/unknownFolders';
import { canMeet, isAmong } from '../shell/shellWords';
import { bareRepositoryProblem } from './bareRepository';
import { codeLoadingVariable, variableValues } from './commandVariables';
import { TOO_MUCH } from './decisionOutcome';
import type { Disk, RealPathLookup } from './disk';
import type { FinalCommand } from './finalCommands';
import { linkProblem } from './movedLinks';
import { protectedReason } from './protectedPaths';
import type { RequestFacts } from './requestFacts';
import { MAX_FOLDERS } from './requestFacts';
import { MAX_PATH_CHARS, resolveFrom, pathInFolders, normalizePath, wordPaths } from './rulePaths';
import type { RuleRequest } from './ruleRequest';
import { isReadOnlyKind } from './ruleRequest';

/**
 * Why a request needs the user's decision whatever the rules allow: it leaves the workspace, or accesses files that run
 * later, steer agents, or hold credentials (CVE-2025-53773, CVE-2025-59944 and similar). One sentence; undefined
 * without a reason.
 */
export function protectionReason(request: RuleRequest, facts: RequestFacts, disk: Disk): string | undefined {
  const { folders, paths, kind, command } = request;
  const possiblePaths = request.isOwnRead ? [] : (request.possiblePaths ?? []);
  if (folders.length === 0 && (paths.length > 0 || facts.runsProgram))
    return t('no folder is open, so everything is outside the workspace');
  if ([...paths, command?.cwd ?? ''].some((path) => path.length > MAX_PATH_CHARS))
    return t('a path is longer than {0} characters', MAX_PATH_CHARS);
  // The others were not looked up.
  if (request.hasUnresolved) return TOO_MUCH;
  const use = isReadOnlyKind(kind) ? 'reads' : 'writes';
  for (const path of [...paths, ...possiblePaths]) {
    const why = pathProblem(folders, path, use);
    if (why !== undefined) return why;
  }
  if (command?.cwd !== undefined && pathInFolders(folders, command.cwd) === undefined)
    return t('the command runs in {0}, outside the workspace', command.cwd);
  return facts.runsProgram ? (commandProblem(request, facts, disk) ?? printedProblem(request)) : undefined;
}

/** Files of a repository outside the workspace count by their names alone: the repository may be larger than the workspace. */
function printedProblem({ printed = [] }: RuleRequest): string | undefined {
  if (printed === 'unknown') return t('it is not known which files git would print');
  return firstOf(printed, ({ name }) => {
    const why = protectedReason(name, 'reads');
    return why && t('git would print {0}, which {1}', name, why);
  });
}

/**
 * Maximum number of possible files of one command (words times base folders): each is looked up on disk, synchronously
 * (I3).
 */
export const MAX_LOOKUPS = 1_000;

function commandProblem(request: RuleRequest, facts: RequestFacts, disk: Disk): string | undefined {
  const { command = {} } = request;
  const { inner, sets = [], innerSets } = facts;
  const variable = codeLoadingVariable(command, { inner, sets: [...sets, ...innerSets] });
  if (variable !== undefined) return t('the command sets {0}, a variable that can change which code runs', variable);
  if (facts.bases.length > MAX_FOLDERS || countLookups(facts) > MAX_LOOKUPS) return TOO_MUCH;
  const values = pathWords(variableValues(command, { inner, sets: [...sets, ...innerSets] }));
  if (values.length * facts.bases.length > MAX_LOOKUPS) return TOO_MUCH;
  return bareRepositoryProblem(request.folders, facts, disk) ?? namedFilesProblem(request, facts, disk, values);
}

function countLookups({ finalCommands, redirects, innerRedirects, bases }: RequestFacts): number {
  const words = finalCommands.flatMap(({ use }) => [...use.reads, ...use.writes]);
  return new Set([...words, ...[...redirects, ...innerRedirects].map(({ target }) => target)]).size * bases.length;
}

type Use = 'reads' | 'writes';

/** Checks the files that the command names: targets of redirects, then values of variables, then words. */
function namedFilesProblem(
  { folders }: RuleRequest,
  facts: RequestFacts,
  disk: Disk,
  values: readonly string[],
): string | undefined {
  const { finalCommands, redirects, innerRedirects, bases } = facts;
  const seen = new Set<string>();
  const problem = (word: string, use: Use): string | undefined => {
    // A home folder counts as outside the workspace; the word may also not be a path.
    if (word.startsWith('~')) return t('{0} is outside the workspace', word);
    const key = `${use} ${word}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    return firstOf(bases, (base) => wordProblem(folders, disk.namesOf, base, word, use));
  };
  const globs = new Set([...(facts.globs ?? []), ...facts.innerGlobs]);
  const open = globOfOwnFiles(finalCommands, globs);
  if (open !== undefined) return t('{0} may match a file that the command itself creates', open);
  const all = [...redirects, ...innerRedirects];
  const matches = (base: string, word: string): readonly string[] =>
    globs.has(word) ? (globMatches(disk, base, word) ?? []) : wordPaths(base, word);
  const below = (final: FinalCommand): string | undefined =>
    firstOf(
      bases,
      (base) =>
        belowProblem(folders, disk, base, final, globs) ??
        shownProblem(folders, disk, base, final, finalCommands) ??
        globProblem(folders, disk, base, final, globs),
    );
  const targets = all.map(({ target }) => target);
  return (
    firstOf(all, ({ target, isWrite }) => problem(target, isWrite ? 'writes' : 'reads')) ??
    firstOf(values, (word) => problem(word, 'writes')) ??
    firstOf(finalCommands, (final) => finalProblem(final, problem) ?? below(final)) ??
    linkProblem(finalCommands, targets, bases, disk, matches)
  );
}

/** Files that an earlier command of the line creates cannot be looked up. */
function globOfOwnFiles(finalCommands: readonly FinalCommand[], globs: ReadonlySet<string>): string | undefined {
  const canCreateFiles = finalCommands.length > 1 && finalCommands.some(({ use }) => use.writes.length > 0);
  return canCreateFiles ? [...globs].find((glob) => /^[*?]/.test(glob)) : undefined;
}

function finalProblem(
  { argv, use }: FinalCommand,
  problem: (word: string, use: Use) => string | undefined,
): string | undefined {
  const [program = ''] = argv;
  if (goesToUnknownFolder(argv))
    return t('“{0}” switches to your home folder or to the previous folder', argv.join(' '));
  return (isOwnProgram(program) ? problem(program, 'reads') : undefined) ?? useProblem(use, problem);
}

/** Checks the words that a command writes, then those that it reads. */
function useProblem(
  { writes, reads }: FinalCommand['use'],
  problem: (word: string, use: Use) => string | undefined,
): string | undefined {
  return firstOf(writes, (word) => problem(word, 'writes')) ?? firstOf(reads, (word) => problem(word, 'reads'));
}

/** The names of all files below the folders that a word may mean; undefined if there are too many. */
export function namesBelowWord(
  { namesOf, below }: Disk,
  base: string,
  word: string,
  what: Below,
): readonly string[] | undefined {
  const folders = new Set(wordPaths(base, word).flatMap(namesOf));
  const names = Array.from(folders, (folder) => below(folder, what));
  return names.every((each) => each !== undefined) ? names.flat() : undefined;
}

/** Protected files below folders that a command processes recursively. */
function belowProblem(
  folders: readonly string[],
  disk: Disk,
  base: string,
  { use }: FinalCommand,
  globs: ReadonlySet<string>,
): string | undefined {
  const { below, only } = use;
  if (below === undefined) return undefined;
  return useProblem(use, (word, how) => {
    const names = namesBelowWord(disk, base, globs.has(word) ? folderOf(word) : word, below);
    const problem = (name: string): string | undefined => {
      const why = pathProblem(folders, name, how);
      return why !== undefined && isAmong(only, name) ? why : undefined;
    };
    return names ? firstOf(names, problem) : TOO_MUCH;
  });
}

/** Credentials in folders that a command shows or compares. */
function shownProblem(
  folders: readonly string[],
  disk: Disk,
  base: string,
  final: FinalCommand,
  finalCommands: readonly FinalCommand[],
): string | undefined {
  const { shows } = final.use;
  if (shows === undefined) return undefined;
  const others = finalCommands.filter((each) => each !== final);
  const isThere = (word: string): boolean => isEntry(disk, base, word, others);
  if (shows.isPair && !shows.words.every(isThere)) return undefined;
  const [, ...behind] = shows.words.filter((word) => !word.startsWith('-'));
  const words = shows.isHere && !behind.some(isThere) ? [...shows.words, '.'] : shows.words;
  return firstOf(words, (word) => {
    const last = word.slice(word.lastIndexOf('/') + 1);
    const below = shows.below === 'shown' && /^[.{]/.test(last) && last !== '.' ? 'all' : shows.below;
    const names = namesBelowWord(disk, base, patternFolder(word), below);
    if (!names) return shows.isGuess ? undefined : TOO_MUCH;
    const isAny = patternFolder(word) === word || /[{}()]/.test(word);
    // Few programs follow links.
    const isMatch = (name: string): boolean =>
      (isAny || isAmong([last], name)) && (!shows.isGuess || pathInFolders(folders, name) !== undefined);
    return firstOf(names.filter(isMatch), (name) => pathProblem(folders, name, 'reads'));
  });
}

/** Whether a word names a file or folder that is there, or that the line may create. */
function isEntry({ below }: Disk, base: string, word: string, others: readonly FinalCommand[]): boolean {
  const path = foldCase(resolveFrom(base, word));
  const isIt = (name: string): boolean => foldCase(normalizePath(name)) === path;
  const names = below(resolveFrom(base, `${word}/..`), 'direct');
  const written = others.flatMap(({ use }) => use.writes).map((each) => foldCase(resolveFrom(base, each)));
  return names?.some(isIt) !== false || written.some((each) => each === path || each.startsWith(`${path}/`));
}

/** Checks the current matches of glob patterns among the words. */
function globProblem(
  folders: readonly string[],
  disk: Disk,
  base: string,
  { use }: FinalCommand,
  globs: ReadonlySet<string>,
): string | undefined {
  return useProblem(use, (word, how) => {
    if (!globs.has(word)) return undefined;
    const names = globMatches(disk, base, word);
    if (!names || names.length > MAX_LOOKUPS) return TOO_MUCH;
    // Without a folder prefix, the name would be read as an option.
    const option = word.includes('/') ? undefined : names.find((name) => /[\\/]-[^\\/]*$/.test(name));
    if (option !== undefined) return t('{0} would be treated as an option', option);
    return firstOf(names, (name) => firstOf(disk.namesOf(name), (each) => pathProblem(folders, each, how)));
  });
}

/** Undefined if there are too many. */
function globMatches({ below }: Disk, base: string, word: string): readonly string[] | undefined {
  const folder = resolveFrom(base, folderOf(word));
  return below(folder, 'direct')?.filter((name) => isIn(folder, name, word.slice(word.lastIndexOf('/') + 1)));
}

function folderOf(word: string): string {
  return word.includes('/') ? word.slice(0, word.lastIndexOf('/')) : '.';
}

/** Whether the name is an entry of the folder that the pattern may match. */
function isIn(folder: string, name: string, pattern: string): boolean {
  const plain = normalizePath(name);
  const rest = plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : undefined;
  return rest !== undefined && !rest.includes('/') && !rest.startsWith('.') && canMeet(rest, pattern);
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Files of the system that a program may use like its input and output. */
export const DEVICES = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|u?random|fd\/\d+)$|^NUL$/i;

/** As {@link pathProblem}, for a word that may be a path. Other words are neither outside nor protected. */
function wordProblem(
  folders: readonly string[],
  namesOf: RealPathLookup,
  base: string,
  word: string,
  use: 'reads' | 'writes',
): string | undefined {
  if (word === '' || DEVICES.test(word)) return undefined;
  // The drive's own current folder or a device: the location is unknown.
  if (/^[A-Za-z]:(?![\\/])/.test(word)) return t('{0} may be outside the workspace', word);
  // "\x" is relative to a drive's root on Windows, and a plain name elsewhere.
  return wordPaths(base, word)
    .flatMap((name) => namesOf(name))
    .map((name) => pathProblem(folders, name, use))
    .find((why) => why !== undefined);
}

function pathProblem(folders: readonly string[], path: string, use: 'reads' | 'writes'): string | undefined {
  const location = pathInFolders(folders, path);
  if (location === undefined) return t('{0} is outside the workspace', path);
  const why = protectedReason(location, use);
  return why && `${location} ${why}`;
}
