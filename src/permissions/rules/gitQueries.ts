import { GIT_COMMANDS } from '../programs/git';
import type { ReadWords } from '../programs/options';
import { readWords } from '../programs/options';
import { programOf } from '../programs/programNames';
import { readSubcommand } from '../programs/subcommands';
import type { RequestFacts } from './requestFacts';
import { requestFacts } from './requestFacts';
import type { RuleRequest } from './ruleRequest';

/** A call of git that lists names of files, as `-z` output, from the top folder of the repository. */
export interface GitQuery {
  /** Absolute. */
  readonly cwd: string;
  readonly args: readonly string[];
  /** Names of what is printed, whose types the call tells, one a line: the name of a file or folder is unknown then. */
  readonly objects?: readonly string[];
  /** Another command of the line may make one that is missing now. */
  readonly isMadeBefore?: true;
  /** Searches changes, which git may convert before. */
  readonly isSearch?: true;
  /** The command prints the files only if this setting is on. */
  readonly setting?: string;
}

type GitCall = Omit<GitQuery, 'cwd'>;

/**
 * Calls of git that list the files whose content a command line prints from a repository. Each is the command itself with an option that
 * lists names in place of content, so that git decides; files that the line adds or commits before count as well. Pure.
 * @returns `unknown` if the line itself changes what the names in it mean
 */
export function gitQueries(request: RuleRequest): readonly GitQuery[] | 'unknown' {
  if (request.command === undefined) return [];
  const facts = requestFacts(request);
  const commands = facts.finalCommands.flatMap(({ argv }) => wordsOfGit(argv));
  const printing = commands.filter((command) => PRINTS_OBJECTS.test(command.verb) || printedFiles(command).length > 0);
  if (printing.length === 0) return [];
  const printed = printing.flatMap((each) => printedFiles(each).concat(typesOf(each, commands.length > 1)));
  const areNamesUsed = printed.some(({ setting }) => setting === undefined);
  if (areNamesUsed && commands.some((command) => movesNames(command, printing))) return 'unknown';
  const needed = printed.every(({ setting }) => setting !== undefined) ? printed[0]?.setting : undefined;
  const added = commands
    .flatMap((command) => addedFiles(command, facts))
    .map((args) => Object.assign({ args }, needed !== undefined && { setting: needed }));
  const calls = [...printed, ...added];
  return facts.bases.flatMap((cwd) => calls.map((call) => Object.assign({ cwd }, call)));
}

/** Options of `branch` and `tag` that list what there is. */
const LISTS = ['l', 'list', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at'];
const ALL_REFS = ['all', 'branches', 'tags', 'remotes'];
/** Names that count from the newest commit. */
const COUNTED = /[~^]|@\{|:\//;

/** Whether a command may change what a name means that another command of the line prints. */
function movesNames({ verb, given, operands }: GitWords, printing: readonly GitWords[]): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  const names = printing.flatMap((each) => each.operands.filter((word) => word !== 'HEAD'));
  const isCounted = printing.some((each) => each.given.has('skip')) || names.some((name) => COUNTED.test(name));
  // A new commit is the first that counts.
  if (verb === 'commit') return isCounted;
  if (names.length === 0 && !printing.some((each) => ALL_REFS.some((name) => each.given.has(name)))) return false;
  if (verb === 'branch' || verb === 'tag')
    return has('u', 'set-upstream-to') || (operands.length > 0 && !has(...LISTS));
  if (verb === 'fetch')
    return (
      has('refmap', 'set-upstream') ||
      operands.some((word) => word.includes(':')) ||
      names.some((name) => name.includes('FETCH_HEAD'))
    );
  return verb === 'checkout' || verb === 'switch';
}

/** These print the content of a file whatever their options say. */
const PRINTS_OBJECTS = /^(?:show|cat-file)$/;
const CAT_FILE_INFORMS = ['t', 's', 'e', 'batch-check'];

/** A call that tells what the words of a command name. */
function typesOf({ verb, given, operands }: GitWords, hasOthers: boolean): readonly GitCall[] {
  if (/^(?:commit|stash show)$/.test(verb)) return [];
  const isCatFile = verb === 'cat-file';
  if (isCatFile && CAT_FILE_INFORMS.some((name) => given.has(name))) return [];
  const from = isCatFile && /^(?:blob|tree|commit|tag)$/.test(operands[0] ?? '') ? 1 : 0;
  const objects = operands.slice(from).flatMap(objectsIn);
  const isMadeBefore = hasOthers && PRINTS_OBJECTS.test(verb);
  const args = ['cat-file', '--batch-check=%(objecttype)'];
  return objects.length === 0 ? [] : [{ args, objects, ...(isMadeBefore && { isMadeBefore }) }];
}

/** What a word may name besides a file of a commit: `A..B`, `^A`, and the folder in `A:file`. */
function objectsIn(word: string): readonly string[] {
  if (word.startsWith(':')) return [];
  const names = word
    .split(/\.{2,3}/)
    .map((part) => part.replace(/^\^/, '').replace(/^((?:[^:{]|\{[^}]*\})*):.*$/s, '$1'));
  return names.filter((name) => name !== '').map((name) => `${name.replaceAll(/[\r\n]/g, ' ')}^{}`);
}

interface GitWords extends Pick<ReadWords, 'given' | 'options'> {
  /** With a second word for `stash show`, `stash list` and `reflog show`. */
  readonly verb: string;
  /** Before `--`. */
  readonly operands: readonly string[];
  /** `--` and the words after it. */
  readonly rest: readonly string[];
}

function wordsOfGit(argv: readonly string[]): readonly GitWords[] {
  const program = programOf(argv);
  if (program?.subcommands !== GIT_COMMANDS) return [];
  const { at, command } = readSubcommand(argv, program);
  const name = argv[at];
  if (!command || name === undefined) return [];
  const { given, options, operands } = readWords(argv, command, at + 1);
  const end = argv.indexOf('--', at + 1);
  const words = operands.filter((index) => end < 0 || index < end).map((index) => argv[index] ?? '');
  const isPair = name === 'stash' || (name === 'reflog' && words[0] === 'show');
  const verb = isPair ? [name, ...words.splice(0, 1)].join(' ') : name;
  return [{ verb, given, options, operands: words, rest: end < 0 ? [] : argv.slice(end) }];
}

const namesOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Options that decide how something is printed, or only leave files out. */
const FORMS = namesOf(`w b ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol
  p u s z q W U L patch patch-with-stat no-patch stat shortstat numstat name-only name-status raw summary
  compact-summary dirstat cumulative check oneline graph decorate no-decorate pretty format abbrev abbrev-commit no-abbrev-commit date
  relative-date color no-color color-words word-diff word-diff-regex unified function-context full-index binary src-prefix dst-prefix
  no-prefix exit-code quiet inter-hunk-context notes no-notes column ws-error-highlight no-ext-diff no-textconv relative no-relative`);
const GREP_FORMS =
  namesOf(`n l L c o p W h H q z A B C I line-number column files-with-matches name-only files-without-match count
  only-matching after-context before-context context show-function function-context break heading color no-color full-name null quiet`);
/** Options that print content, whatever the command prints otherwise. */
const PATCHES = namesOf(
  'p u U W c m patch patch-with-stat unified function-context binary check word-diff word-diff-regex color-words',
);
/** Options that replace the content, where a command prints it by default. */
const SUMMARIES = namesOf(
  's q l L quiet no-patch stat shortstat numstat name-only name-status raw summary compact-summary dirstat files-with-matches files-without-match',
);
const PRINTS = /^(?:diff|show|grep)$/;
const MAY_PRINT = /^(?:log|whatchanged|reflog(?: show)?|diff-(?:tree|index|files)|stash (?:show|list))$/;
const SHOWS_COMMITS = /^(?:show|log|whatchanged|reflog(?: show)?|stash list)$/;
const LIST = ['-z', '--full-name', '--'];
/** With both names of a renamed or copied file, of whose old content lines are printed. Runs no program that settings and attributes name for it. */
export const CHANGES = '--name-status';
const CHANGED = [CHANGES, '-z', '--no-ext-diff', '--no-textconv'];

/** Calls that list the files which a command prints. */
function printedFiles(command: GitWords): readonly GitCall[] {
  const { verb, given, options } = command;
  const has = (names: ReadonlySet<string>): boolean => Array.from(given).some((name) => names.has(name));
  if (verb === 'status' || verb === 'commit') {
    const count = options.filter(({ name }) => name === 'v' || name === 'verbose').length;
    const diff = ['diff', ...CHANGED];
    const calls = [[...diff, '--cached'], diff];
    if (verb === 'status' || count > 0) return calls.slice(0, count).map((args) => ({ args }));
    return calls.map((args) => ({ args, setting: 'commit.verbose' }));
  }
  // "diff -q" prints.
  const isSummary = Array.from(given).some((name) => SUMMARIES.has(name) && !(verb === 'diff' && name === 'q'));
  if (verb === 'grep') return isSummary ? [] : [selection(command, ['-l', '-z', '--full-name'], GREP_FORMS)];
  if (verb === 'stash show' && !has(PATCHES) && !isSummary) {
    const listing = [...CHANGED, '--include-untracked'];
    return [{ ...selection(command, listing, FORMS), setting: 'stash.showpatch' }];
  }
  if (SHOWS_COMMITS.test(verb) && given.has('L')) return lineHistories(command);
  if (!has(PATCHES) && (isSummary || !PRINTS.test(verb))) return [];
  if (!PRINTS.test(verb) && !MAY_PRINT.test(verb)) return [];
  const listing = [...CHANGED, ...(SHOWS_COMMITS.test(verb) ? ['--format='] : [])];
  if (verb !== 'show') return [selection(command, [...listing, ...(verb === 'diff-tree' ? ['-r'] : [])], FORMS)];
  // The words of "HEAD:a" are names of files already.
  const commits = command.operands.filter((word) => !word.includes(':') || /^:\/|\{\//.test(word));
  if (commits.length === 0 && command.operands.length > 0) return [];
  return [selection({ ...command, operands: commits }, listing, FORMS)];
}

/** `log -L 1,5:a` prints the lines under the earlier names of the file as well. */
function lineHistories(command: GitWords): readonly GitCall[] {
  const files = command.options.flatMap(({ name, text = '' }) =>
    name === 'L' ? Array.from(text.matchAll(/:/g), ({ index }) => text.slice(index + 1)) : [],
  );
  const listing = [...CHANGED, '--format=', '--follow'];
  return files.map((file) => selection({ ...command, verb: 'log', rest: ['--', file] }, listing, FORMS));
}

/** The command without the options of a form. */
function selection(
  { verb, given, options, operands, rest }: GitWords,
  listing: readonly string[],
  forms: ReadonlySet<string>,
): GitCall {
  // For "stash show", -u includes new files.
  const kept = options.filter(({ name }) => !forms.has(name) || (verb === 'stash show' && name === 'u'));
  const words = kept.map(({ name, text }) =>
    name.length === 1 || /^\d+$/.test(name)
      ? `-${name}${text ?? ''}`
      : `--${name}${text === undefined ? '' : `=${text}`}`,
  );
  const isSearch = verb !== 'grep' && (given.has('G') || given.has('S'));
  return {
    // The user's attributes may declare a file text that git takes for binary.
    args: [...verb.split(' '), ...listing, ...words, ...(isSearch ? ['--text'] : []), ...operands, ...rest],
    ...(isSearch && { isSearch }),
  };
}

/** Files that change what git ignores. */
const IGNORES = /(?:^|[\\/])(?:\.gitignore|info[\\/]exclude)$/;

/** The arguments of calls that list the new and changed files which a command adds or commits. */
function addedFiles({ verb, given, operands, rest }: GitWords, facts: RequestFacts): readonly (readonly string[])[] {
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  const named = [...operands, ...rest.slice(1)];
  const isAdd = verb === 'add' || verb === 'stage';
  const staged = verb === 'commit' ? [['diff', ...CHANGED, '--cached']] : [];
  if (!isAdd && (verb !== 'commit' || (named.length === 0 && !has('a', 'all')))) return staged;
  const written = [
    ...facts.finalCommands.flatMap(({ use }) => use.writes),
    ...[...facts.redirects, ...facts.innerRedirects].map(({ target }) => target),
  ];
  const others = !isAdd || has('u', 'update') ? [] : ['--others'];
  const isWhole = has('f', 'force') || written.some((word) => IGNORES.test(word));
  const ignored = others.length === 0 || isWhole ? [] : ['--exclude-standard'];
  const added = ['ls-files', '--modified', ...others, ...ignored, ...LIST, ...(named.length > 0 ? named : [':/'])];
  return [...staged, added];
}
