import { compileGlob } from '../../base/glob';
import { foldCase } from '../../base/pathText';
import { withWholeVerb } from '../programs/abbreviations';
import { significantWords } from '../programs/commandWords';
import { fileWords } from '../programs/knownUse';
import { plainName, programName } from '../programs/programNames';
import { canMeet, isAmong } from '../shell/shellWords';
import type { CommandPattern } from './commandPattern';
import { commandPattern, matchesCommand, namesWord } from './commandPattern';
import type { Disk } from './disk';
import type { Rule } from './permissionRule';
import { MAX_LOOKUPS, namesBelowWord } from './protectionReason';
import { requestAndRedirects } from './redirectEffects';
import type { RequestFacts } from './requestFacts';
import { shellOf } from './requestFacts';
import { MAX_PATH_CHARS, isAt, resolveFrom, pathInFolders, normalizePath, wordPaths } from './rulePaths';
import type { RuleRequest } from './ruleRequest';
import { commandSubject, isReadOnlyKind } from './ruleRequest';
import { mayNameTool } from './toolNames';
import { matchesParts, matchesWildcard } from './wildcard';

/** Whether a rule matches a request. Allowing rules match narrowly, asking and denying rules widely. */

/** Checks the fields that need only the request itself. */
function matchesFields(rule: Rule, request: RuleRequest, use: 'allows' | 'restricts'): boolean {
  return (
    (rule.kind === undefined || rule.kind === request.kind) &&
    (rule.agent === undefined || rule.agent === request.agent) &&
    (rule.agentIdentity === undefined || rule.agentIdentity === request.agentIdentity) &&
    (rule.subject === undefined || rule.subject === subjectOf(request)) &&
    (rule.identity === undefined || rule.identity === request.toolIdentity) &&
    (rule.shell === undefined || (request.command !== undefined && rule.shell === shellOf(request.command))) &&
    (rule.title === undefined || matchesWildcard(rule.title, request.title)) &&
    (rule.tool === undefined || matchesTool(rule.tool, request, use))
  );
}

function subjectOf({ subject, command }: RuleRequest): string | undefined {
  return subject ?? (command && commandSubject(command));
}

/** The agent's name of its tool counts for asking and denying rules; only Parley's own id allows. */
function matchesTool(pattern: string, { tool, called = [] }: RuleRequest, use: 'allows' | 'restricts'): boolean {
  if (use === 'allows') return tool !== undefined && matchesWildcard(pattern, tool);
  return mayNameTool(pattern, tool === undefined ? called : [tool, ...called]);
}

/**
 * For `ask` and `deny`: one command of a chain is sufficient, including nested ones; one path is sufficient; ignores
 * case.
 */
export function matchesRestriction(rule: Rule, request: RuleRequest, facts: RequestFacts, disk: Disk): boolean {
  const { command, path } = rule;
  if (command !== undefined && !restrictsAny(command, facts)) return false;
  if (!mayRunIn(rule, request, facts)) return false;
  return requestAndRedirects(request, facts, disk).some(
    (each) =>
      matchesFields(rule, each, 'restricts') &&
      (path === undefined ||
        [...each.paths, ...(each.possiblePaths ?? [])].some((file) =>
          isAt(request, (folders) => matchesPath(path, file, folders, true)),
        )),
  );
}

/** Maximum number of words checked as file names; a command with more needs the user's decision. */
const MAX_WORDS = 500;

/**
 * For `ask` and `deny` of a path: whether a command names such a file. It is unknown whether a word is a file, or what
 * the program does with it, so a match asks and never denies.
 */
export function mayMatchRestriction(rule: Rule, request: RuleRequest, facts: RequestFacts, disk: Disk): boolean {
  const { command, path, kind } = rule;
  if (rule.decision === 'allow' || path === undefined || !facts.runsProgram) return false;
  if (!matchesFields(rule, { ...request, kind: (kind ?? request.kind) as RuleRequest['kind'] }, 'restricts'))
    return false;
  if (!mayRunIn(rule, request, facts)) return false;
  if (command !== undefined && !restrictsAny(command, facts)) return false;
  const words = wordsOf(facts);
  if (words.size > MAX_WORDS || words.size * facts.bases.length > MAX_LOOKUPS) return true;
  const isMatch = (use: 'reads' | 'writes'): boolean =>
    kind === undefined || kind === 'execute' || isReadOnlyKind(kind) || use === 'writes';
  const isAbout = (file: string): boolean => isAt(request, (folders) => matchesPath(path, file, folders, true));
  const globs = globsOf(facts);
  const isNamed = Array.from(words).some(
    ([word, use]) =>
      isMatch(use) &&
      facts.bases.some((base) =>
        globs.has(word)
          ? isAt(request, (folders) => couldBePath(path, resolveFrom(base, word), folders))
          : wordPaths(base, word).some((file) => disk.namesOf(file).some(isAbout)),
      ),
  );
  const { printed = [] } = request;
  if (printed !== 'unknown' && isMatch('reads') && printed.some((file) => isAbout(file.path))) return true;
  return isNamed || belowOf(facts, disk).some(([file, use]) => isMatch(use) && isAbout(file));
}

/**
 * The files below folders that commands process recursively. Folders that cannot be listed need the user's decision anyway
 * (protectionReason).
 */
function belowOf(
  { finalCommands, bases }: RequestFacts,
  disk: Disk,
): readonly (readonly [string, 'reads' | 'writes'])[] {
  return finalCommands.flatMap(({ use: { below, reads, writes, only } }) => {
    if (below === undefined) return [];
    const files = (words: readonly string[]): readonly string[] =>
      words.flatMap((word) =>
        bases.flatMap((base) => (namesBelowWord(disk, base, word, below) ?? []).filter((name) => isAmong(only, name))),
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

/** The words that may be files, including those of nested commands. */
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

/** The rule is about commands, so that an unreadable command must ask. */
export function restrictsUnreadable(rule: Rule, request: RuleRequest): boolean {
  return rule.decision !== 'allow' && rule.command !== undefined && matchesFields(rule, request, 'restricts');
}

function restrictsAny(command: NonNullable<Rule['command']>, facts: RequestFacts): boolean {
  const globs = globsOf(facts);
  const all = [...facts.inner, ...facts.behind, ...facts.possible()];
  return all.some((argv) => [argv, withWholeVerb(argv)].some((words) => restrictsCommand(command, words, globs)));
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
    words: pattern.words.map((parts, index) => (index === 0 ? parts.map(toLowerCase) : parts)),
  };
  // "/bin/RM" is rm where the file system ignores case.
  const name = programName(program);
  const names = [name, plainName(name), program.toLowerCase()];
  return names.some((each) => matchesCommand(lower, [each, ...words]));
}

/** Whether words with shell wildcards could expand to words that match the pattern. */
function couldBecome({ words, hasRest }: CommandPattern, argv: readonly string[], globs: ReadonlySet<string>): boolean {
  if (hasRest ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((parts, index) => {
    const word = argv[index] ?? '';
    if (!globs.has(word)) return matchesParts(parts, word);
    return [word, ...(index === 0 ? [programName(word)] : [])].some((name) => canMeet(parts.join('*'), name));
  });
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}

/** For `ask` and `deny` of a folder: one of the line's folders is sufficient. */
function mayRunIn({ cwd }: Rule, request: RuleRequest, { runsProgram, bases }: RequestFacts): boolean {
  if (cwd === undefined) return true;
  return runsProgram && bases.some((base) => isAt(request, (folders) => matchesFolder(cwd, base, folders, true)));
}

/**
 * Whether the rule allows this command in this folder: its pattern matches and includes every word that decides what is
 * run.
 * @param base absolute; where the command may run
 */
export function allowsCommand(rule: Rule, request: RuleRequest, argv: readonly string[], base: string): boolean {
  if (!matchesFields(rule, request, 'allows') || !allowsPaths(rule, request)) return false;
  const { cwd } = rule;
  if (cwd !== undefined && !isAt(request, (folders) => matchesFolder(cwd, base, folders, false))) return false;
  const needed = significantWords(argv);
  if (rule.command === undefined) {
    // A title is the agent's own text, and a kind such as "read" does not limit commands.
    const isAboutAll =
      rule.title === undefined && rule.path === undefined && (rule.kind === undefined || rule.kind === 'execute');
    return isAboutAll && needed !== 'all' && needed.length === 1;
  }
  const pattern = patternOf(rule.command);
  if (!pattern || !matchesCommand(pattern, argv)) return false;
  const indices = needed === 'all' ? argv.map((_, index) => index) : needed;
  return indices.every((index) => namesWord(pattern, index));
}

function allowsPaths({ path }: Rule, request: RuleRequest): boolean {
  if (path === undefined) return true;
  const isAllowed = (file: string): boolean => isAt(request, (folders) => matchesPath(path, file, folders, false));
  return request.paths.length > 0 && request.paths.every(isAllowed);
}

/**
 * Whether the rule allows access to this file.
 * @param kind the kind of access
 */
export function allowsFile(
  rule: Rule,
  request: RuleRequest,
  file: string,
  kind: RuleRequest['kind'] = request.kind,
): boolean {
  if (rule.command !== undefined || rule.cwd !== undefined) return false;
  // A title is the agent's own text: it narrows a path rule, and never allows a file by itself.
  if (rule.title !== undefined && rule.path === undefined) return false;
  if (!matchesFields(rule, { ...request, kind }, 'allows')) return false;
  const { path } = rule;
  return path === undefined || isAt(request, (folders) => matchesPath(path, file, folders, false));
}

/** Whether the rule allows a request without command and file. */
export function allowsUnspecified(rule: Rule, request: RuleRequest): boolean {
  const isAboutMore = rule.command !== undefined || rule.path !== undefined || rule.cwd !== undefined;
  return !isAboutMore && matchesFields(rule, request, 'allows');
}

/** Whether a path with shell wildcards could expand to a path that matches the glob in its widest meaning. */
function couldBePath(glob: string, file: string, folders: readonly string[]): boolean {
  const pattern = plainGlob(glob);
  if (/^(?:\/|[A-Za-z]:\/)/.test(pattern)) return canMeet(pattern, normalizePath(file));
  const path = pathInFolders(folders, file);
  if (!pattern.includes('/')) return canMeet(pattern, normalizePath(file).split('/').at(-1) ?? '');
  return path !== undefined && canMeet(pattern, path);
}

/**
 * A glob without a slash matches names anywhere; a relative one applies to each folder; a trailing slash includes
 * everything below.
 */
export function matchesPath(glob: string, file: string, folders: readonly string[], isWide: boolean): boolean {
  const pattern = plainGlob(glob);
  const matches = globOf(pattern, isWide);
  if (isAbsoluteGlob(pattern)) return matches(normalizePath(file));
  const path = pathInFolders(folders, file);
  const name = normalizePath(file).split('/').at(-1) ?? '';
  if (!pattern.includes('/')) return (isWide || path !== undefined) && matches(name);
  return path !== undefined && matches(path);
}

/** As {@link matchesPath} for a folder; `.` is a folder itself. */
function matchesFolder(glob: string, folder: string, folders: readonly string[], isWide: boolean): boolean {
  const pattern = plainGlob(glob);
  const matches = globOf(pattern, isWide);
  if (isAbsoluteGlob(pattern)) return matches(normalizePath(folder));
  const path = pathInFolders(folders, folder);
  return path === '' ? /^(?:\.?|\*\*)$/.test(pattern) : path !== undefined && matches(path);
}

function isAbsoluteGlob(pattern: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(pattern);
}

const globs = new Map<string, (text: string) => boolean>();

function globOf(pattern: string, isWide: boolean): (text: string) => boolean {
  const key = `${isWide ? 'wide' : 'narrow'} ${pattern}`;
  const cached = globs.get(key);
  if (cached) return cached;
  const compiled = compileGlob(isWide ? foldCase(pattern) : pattern);
  // Longer paths always ask (protectionReason).
  const matches = (text: string): boolean =>
    text.length <= MAX_PATH_CHARS && (compiled(isWide ? foldCase(text) : text) ?? isWide);
  if (globs.size >= MAX_PATTERNS) globs.clear();
  globs.set(key, matches);
  return matches;
}

function plainGlob(glob: string): string {
  const slashed = (/^[A-Za-z]:\\/.test(glob) ? glob.replaceAll('\\', '/') : glob).replace(/^\.\//, '');
  return slashed.endsWith('/') ? `${slashed}**` : slashed;
}

const patterns = new Map<string, CommandPattern | undefined>();
/** Number of cached patterns: the few rules are matched often. */
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
