import picomatch from 'picomatch/posix';
import { foldCase } from '../../base/pathText';
import type { CommandPattern } from './commandPattern';
import { commandPattern, matchesCommand, namesWord } from './commandPattern';
import type { RequestFacts } from './requestFacts';
import { resolveFrom, pathInFolders, normalizePath } from './rulePaths';
import { plainName, programName } from './programNames';
import { fileWords, significantWords } from './knownPrograms';
import type { Disk } from './protection';
import { MAX_LOOKUPS } from './protection';
import type { RuleRequest } from './ruleRequest';
import { isReadOnlyKind } from './ruleRequest';
import { mayNameTool } from './toolNames';
import type { Rule } from './permissionRule';
import { canMeet, isAmong } from '../shell/shellWords';
import { matchesPieces, matchesWildcard } from './wildcard';

/** Whether a rule is about a request. What allows is read narrowly, what asks or denies widely. */

/** The fields that need no more than the request's own. */
function matchesFields(rule: Rule, request: RuleRequest, use: 'allows' | 'restricts'): boolean {
  return (
    (rule.kind === undefined || rule.kind === request.kind) &&
    (rule.agent === undefined || rule.agent === request.agent) &&
    (rule.title === undefined || matchesWildcard(rule.title, request.title)) &&
    (rule.tool === undefined || matchesTool(rule.tool, request, use))
  );
}

/** What the agent calls its tool may ask or deny; only what Parley knows allows. */
function matchesTool(pattern: string, { tool, called = [] }: RuleRequest, use: 'allows' | 'restricts'): boolean {
  if (use === 'allows') return tool !== undefined && matchesWildcard(pattern, tool);
  return mayNameTool(pattern, tool === undefined ? called : [tool, ...called]);
}

/** For `ask` and `deny`: one command of a chain is enough, also within another one; one path is enough; case does not count. */
export function matchesRestriction(rule: Rule, request: RuleRequest, facts: RequestFacts): boolean {
  const { command, path } = rule;
  if (command !== undefined && !restrictsAny(command, facts)) return false;
  if (!mayRunIn(rule, request, facts)) return false;
  return deedsOf(request, facts).some(
    (deed) =>
      matchesFields(rule, deed, 'restricts') &&
      (path === undefined || deed.paths.some((file) => matchesPath(path, file, request.folders, true))),
  );
}

/** Words of a command that are looked at as names of files; who writes more is asked about. */
const MAX_WORDS = 500;

/**
 * For `ask` and `deny` of a path: a command names such a file. Nobody can tell whether a word is a file, or what the program does
 * with it, so this is a reason to ask and none to deny.
 */
export function mayMatchRestriction(rule: Rule, request: RuleRequest, facts: RequestFacts, disk: Disk): boolean {
  const { command, path, kind } = rule;
  if (rule.decision === 'allow' || path === undefined || !facts.runs) return false;
  if (!matchesFields(rule, { ...request, kind: (kind ?? request.kind) as RuleRequest['kind'] }, 'restricts'))
    return false;
  if (!mayRunIn(rule, request, facts)) return false;
  if (command !== undefined && !restrictsAny(command, facts)) return false;
  const words = wordsOf(facts);
  if (words.size > MAX_WORDS || words.size * facts.bases.length > MAX_LOOKUPS) return true;
  const isMeant = (use: 'reads' | 'writes'): boolean =>
    kind === undefined || kind === 'execute' || isReadOnlyKind(kind) || use === 'writes';
  const isAbout = (file: string): boolean => matchesPath(path, file, request.folders, true);
  const globs = globsOf(facts);
  const named = Array.from(words).some(
    ([word, use]) =>
      isMeant(use) &&
      facts.bases.some((base) =>
        globs.has(word)
          ? couldBePath(path, resolveFrom(base, word), request.folders)
          : disk.namesOf(resolveFrom(base, word)).some(isAbout),
      ),
  );
  return named || belowOf(facts, disk).some(([file, use]) => isMeant(use) && isAbout(file));
}

/** The files below the folders that commands take as a whole; what cannot be looked at is asked about anyway (protectionOf). */
function belowOf({ leaves, bases }: RequestFacts, disk: Disk): readonly (readonly [string, 'reads' | 'writes'])[] {
  return leaves.flatMap(({ use: { below, reads, writes, only } }) => {
    if (below === undefined) return [];
    const files = (words: readonly string[]): readonly string[] =>
      words.flatMap((word) =>
        bases.flatMap((base) =>
          (disk.below(resolveFrom(base, word), below) ?? []).filter((name) => isAmong(only, name)),
        ),
      );
    return [
      ...files(reads).map((file) => [file, 'reads'] as const),
      ...files(writes).map((file) => [file, 'writes'] as const),
    ];
  });
}

function globsOf({ globs = [], innerGlobs }: RequestFacts): ReadonlySet<string> {
  return new Set([...globs, ...innerGlobs]);
}

/** The words that may be files, of all commands within the commands too. */
function wordsOf({ inner }: RequestFacts): ReadonlyMap<string, 'reads' | 'writes'> {
  const words = new Map<string, 'reads' | 'writes'>();
  for (const argv of inner) {
    const { reads, writes } = fileWords(argv);
    for (const word of reads) if (!words.has(word)) words.set(word, 'reads');
    for (const word of writes) words.set(word, 'writes');
    if (words.size > MAX_WORDS) break;
  }
  return words;
}

/** The rule is about commands, and would be asked about one that cannot be read. */
export function restrictsUnreadable(rule: Rule, request: RuleRequest): boolean {
  return rule.decision !== 'allow' && rule.command !== undefined && matchesFields(rule, request, 'restricts');
}

function restrictsAny(command: NonNullable<Rule['command']>, facts: RequestFacts): boolean {
  const globs = globsOf(facts);
  return [...facts.inner, ...facts.behind].some((argv) => restrictsCommand(command, argv, globs));
}

function restrictsCommand(
  source: NonNullable<Rule['command']>,
  argv: readonly string[],
  globs: ReadonlySet<string>,
): boolean {
  const pattern = patternOf(source);
  const [program = '', ...words] = argv;
  if (!pattern) return false;
  if (matchesCommand(pattern, argv)) return true;
  if (argv.some((word) => globs.has(word)) && couldBecome(pattern, argv, globs)) return true;
  const lower = {
    ...pattern,
    words: pattern.words.map((pieces, index) => (index === 0 ? pieces.map(lowered) : pieces)),
  };
  // "/bin/RM" is rm where the file system ignores case.
  const name = programName(program);
  const names = [name, plainName(name), program.toLowerCase()];
  return names.some((each) => matchesCommand(lower, [each, ...words]));
}

/** Words with wildcards of the shell could become those of the pattern. */
function couldBecome({ words, rest }: CommandPattern, argv: readonly string[], globs: ReadonlySet<string>): boolean {
  if (rest ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((pieces, index) => {
    const word = argv[index] ?? '';
    if (!globs.has(word)) return matchesPieces(pieces, word);
    return [word, ...(index === 0 ? [programName(word)] : [])].some((name) => canMeet(pieces.join('*'), name));
  });
}

function lowered(text: string): string {
  return text.toLowerCase();
}

/** For `ask` and `deny` of a folder: one of those that the line goes to is enough. */
function mayRunIn({ cwd }: Rule, { folders }: RuleRequest, { runs, bases }: RequestFacts): boolean {
  return cwd === undefined || (runs && bases.some((base) => matchesFolder(cwd, base, folders, true)));
}

/**
 * The rule allows this command of the request in this folder: its pattern matches, and names every word that decides what is run.
 * @param base where it may run: absolute
 */
export function allowsCommand(rule: Rule, request: RuleRequest, argv: readonly string[], base: string): boolean {
  if (!matchesFields(rule, request, 'allows') || !allowsPaths(rule, request)) return false;
  if (rule.cwd !== undefined && !matchesFolder(rule.cwd, base, request.folders, false)) return false;
  const needed = significantWords(argv);
  if (rule.command === undefined) {
    // A title is the agent's own text, and a kind like "read" says nothing of commands.
    const isAboutAll =
      rule.title === undefined && rule.path === undefined && (rule.kind === undefined || rule.kind === 'execute');
    return isAboutAll && needed !== 'all' && needed.length === 1;
  }
  const pattern = patternOf(rule.command);
  if (!pattern || !matchesCommand(pattern, argv)) return false;
  const indices = needed === 'all' ? argv.map((_, index) => index) : needed;
  return indices.every((index) => namesWord(pattern, index));
}

function allowsPaths({ path }: Rule, { paths, folders }: RuleRequest): boolean {
  return path === undefined || (paths.length > 0 && paths.every((file) => matchesPath(path, file, folders, false)));
}

/**
 * The rule allows the request to touch this file.
 * @param kind of what is done to it
 */
export function allowsFile(
  rule: Rule,
  request: RuleRequest,
  file: string,
  kind: RuleRequest['kind'] = request.kind,
): boolean {
  if (rule.command !== undefined || rule.cwd !== undefined) return false;
  // A title is the agent's own text: it narrows what a path allows, and allows no file by itself.
  if (rule.title !== undefined && rule.path === undefined) return false;
  if (!matchesFields(rule, { ...request, kind }, 'allows')) return false;
  return rule.path === undefined || matchesPath(rule.path, file, request.folders, false);
}

/** The rule allows a request that names neither command nor file. */
export function allowsUnspecified(rule: Rule, request: RuleRequest): boolean {
  const isAboutMore = rule.command !== undefined || rule.path !== undefined || rule.cwd !== undefined;
  return !isAboutMore && matchesFields(rule, request, 'allows');
}

/** The request with all files that are opened for it, and each file that the shell opens as the edit or reading that it is. */
function deedsOf(request: RuleRequest, { redirects, innerRedirects, bases }: RequestFacts): readonly RuleRequest[] {
  // What is left out is asked about, since it is more than can be looked at (protectionOf).
  const looked = [...redirects, ...innerRedirects].slice(0, MAX_LOOKUPS / bases.length);
  const opened = looked.map(({ target, writes }): RuleRequest => {
    const paths = bases.map((base) => resolveFrom(base, target));
    return Object.assign({}, request, { kind: writes ? ('edit' as const) : ('read' as const), paths });
  });
  return [{ ...request, paths: [...request.paths, ...opened.flatMap(({ paths }) => paths)] }, ...opened];
}

/** A path with wildcards of the shell could become one that the glob is about, which is read as widely as can be. */
function couldBePath(glob: string, file: string, folders: readonly string[]): boolean {
  const pattern = plainGlob(glob);
  if (/^(?:\/|[A-Za-z]:\/)/.test(pattern)) return canMeet(pattern, normalizePath(file));
  const place = pathInFolders(folders, file);
  if (!pattern.includes('/')) return canMeet(pattern, normalizePath(file).split('/').at(-1) ?? '');
  return place !== undefined && canMeet(pattern, place);
}

/** A glob without a slash is meant for names anywhere; a relative one from each folder; one that ends with a slash for all below. */
export function matchesPath(glob: string, file: string, folders: readonly string[], wide: boolean): boolean {
  const pattern = plainGlob(glob);
  const matches = globOf(pattern, wide);
  if (isAbsoluteGlob(pattern)) return matches(normalizePath(file));
  const place = pathInFolders(folders, file);
  const name = normalizePath(file).split('/').at(-1) ?? '';
  if (!pattern.includes('/')) return (wide || place !== undefined) && matches(name);
  return place !== undefined && matches(place);
}

/** As {@link matchesPath} for a folder, `.` for a workspace folder itself; always relative to that. */
function matchesFolder(glob: string, folder: string, folders: readonly string[], wide: boolean): boolean {
  const pattern = plainGlob(glob);
  const matches = globOf(pattern, wide);
  if (isAbsoluteGlob(pattern)) return matches(normalizePath(folder));
  const place = pathInFolders(folders, folder);
  return place === '' ? /^(?:\.?|\*\*)$/.test(pattern) : place !== undefined && matches(place);
}

function isAbsoluteGlob(pattern: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(pattern);
}

const globs = new Map<string, (text: string) => boolean>();

function globOf(pattern: string, wide: boolean): (text: string) => boolean {
  const key = `${wide ? 'wide' : 'narrow'} ${pattern}`;
  const known = globs.get(key);
  if (known) return known;
  const options = { dot: true, nocase: wide, nonegate: true, windows: false } as const;
  const compiled = picomatch(wide ? foldCase(pattern) : pattern, options);
  const matches = (text: string): boolean => compiled(wide ? foldCase(text) : text);
  if (globs.size >= MAX_PATTERNS) globs.clear();
  globs.set(key, matches);
  return matches;
}

function plainGlob(glob: string): string {
  const slashed = (/^[A-Za-z]:\\/.test(glob) ? glob.replaceAll('\\', '/') : glob).replace(/^\.\//, '');
  return slashed.endsWith('/') ? `${slashed}**` : slashed;
}

const patterns = new Map<string, CommandPattern | undefined>();
/** Patterns of rules that are kept read; there are few rules, and each is used again and again. */
const MAX_PATTERNS = 1_000;

function patternOf(source: NonNullable<Rule['command']>): CommandPattern | undefined {
  const key = JSON.stringify(source);
  if (!patterns.has(key)) {
    const pattern = commandPattern(source);
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(key, 'problem' in pattern ? undefined : pattern);
  }
  return patterns.get(key);
}
