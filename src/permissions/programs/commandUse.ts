import { gitCommand, GIT_ITSELF } from './gitCommands';
import type { Below } from '../../node/fs/realPaths';
import type { OptionKind, ProgramOptions, ReadWords } from './optionTable';
import { readWords } from './optionTable';
import { pathWords } from './pathWords';
import { textPrograms, readingPrograms } from './readingPrograms';
import { archivePrograms, writingPrograms } from './writingPrograms';
import { readScript } from './scripts';
import { knownProgram } from './programNames';

/** Effects of a command on files, by its words, as far as its program is known. */
export interface CommandUse {
  /** Words that may name files which the command only reads. */
  readonly reads: readonly string[];
  /** Words that may name files which the command may write. */
  readonly writes: readonly string[];
  /** Working folders. */
  readonly folders: readonly string[];
  /** What the command uses of the folders that its words name: everything, or everything except dotfiles. */
  readonly below?: Below;
  /** Shell patterns that limit `below`. */
  readonly only?: readonly string[];
  /** Words that the command moves, or copies without following links: a relative link then leads elsewhere. */
  readonly moved?: readonly string[];
  /** Names of links that the command makes. */
  readonly links?: readonly string[];
  /** Folders of which the command shows files without an option that says so. */
  readonly shows?: ShownFolders;
  /** The meaning of words depends on their number. */
  readonly isCountSensitive?: true;
  /** Indices of unknown options: each may run, load or write anything. */
  readonly unknown: readonly number[];
  /** Indices of words that make the command write a file or change the folder; the wildcard of a rule does not cover them. */
  readonly named: readonly number[];
  /** The command writes files that its words do not name. */
  readonly changesUnnamedFiles: boolean;
}

/** Words that may be folders, and what the command shows of these. */
interface ShownFolders {
  readonly words: readonly string[];
  readonly below: Below;
  /** The command compares two folders: a single one is something else to it. */
  readonly isPair?: true;
  /** The first word may be what is searched for; without a file or folder behind it the command uses the working folder. */
  readonly isHere?: true;
  /** The program is not known to show anything: too many files are no reason to ask. */
  readonly isGuess?: true;
}

export const NOTHING: CommandUse = {
  reads: [],
  writes: [],
  folders: [],
  unknown: [],
  named: [],
  changesUnnamedFiles: false,
};

/** An unknown command: each word may be a file that it writes. */
export function anyUse(argv: readonly string[]): CommandUse {
  return { ...NOTHING, writes: pathWords(argv.slice(1)) };
}

/** Programs whose first operand is a script. */
const SCRIPT_PROGRAMS: ReadonlySet<string> = new Set(['awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'jq', 'sqlite']);

/** Undefined for an unknown program. */
export function commandUse(argv: readonly string[]): CommandUse | undefined {
  const name = knownProgram(argv[0] ?? '');
  if (name === 'git') return gitUse(argv);
  if (SCRIPT_PROGRAMS.has(name)) return scriptUse(argv, name);
  const program = [readingPrograms, textPrograms, writingPrograms, archivePrograms]
    .map((table) => table.get(name))
    .find((found) => found !== undefined);
  if (!program) return undefined;
  if (archivePrograms.has(name)) return archiveUse(argv, program);
  const words = readWords(argv, program);
  const use = useOf(argv, program, words);
  if (name === 'curl') return { ...use, unknown: [...use.unknown, ...curlPatterns(argv, words)] };
  const again = evaluatedWords(argv, name, words);
  if (again.length > 0) return { ...use, unknown: [...use.unknown, ...again] };
  if (program.traits.has('copy')) return { ...use, ...movedLinks(argv, name, words) };
  // "@x" names a file with more options.
  const files = name === 'strings' ? words.operands.filter((index) => argv[index]?.startsWith('@')) : [];
  return { ...use, unknown: [...use.unknown, ...files] };
}

/** Settings of shells that do not change how the rest of a line is read. */
export const PLAIN_SETTING = /^(?:errexit|nounset|xtrace|verbose|noglob|pipefail|noclobber|errtrace|monitor)$/;

/** Words that the shell evaluates again: subscripts run the substitutions in them, `set -o keyword` changes how commands are read. */
function evaluatedWords(argv: readonly string[], name: string, { values }: ReadWords): readonly number[] {
  if (name === 'set') return values.flatMap(({ text, indices: [at = 0] }) => (PLAIN_SETTING.test(text) ? [] : [at]));
  const isTest = name === 'test' || name === '[';
  if (!isTest && !/^(?:exit|return|break|continue|ulimit|printf|wait|times|cd|pushd|popd)$/.test(name)) return [];
  return argv.flatMap((word, index) => {
    if (index === 0) return [];
    const isName = isTest && /^-[vR]$/.test(argv[index - 1] ?? '');
    const isCode = isTest ? /[`$]|\w\[/.test(word) : /\w\[[^]*[`$]/.test(word);
    return isCode || (isName && !/^\w+$/.test(word)) ? [index] : [];
  });
}

/** curl replaces `#1` in file names by `{a,b}` and `[1-9]` of a URL; before `:` these hide `file:`. */
function curlPatterns(argv: readonly string[], { operands, values }: ReadWords): readonly number[] {
  // The path in a file address is decoded.
  const hides = (text: string): boolean => /^[^:/]*[[{]|^file:.*[%[{]/i.test(text);
  return [
    ...operands.filter((index) => hides(argv[index] ?? '')),
    ...values.flatMap(({ kind, text, indices: [at = 0] }) =>
      (kind === 'read' && hides(text)) || (kind === 'write' && /#\d/.test(text)) ? [at] : [],
    ),
  ];
}

function gitUse(argv: readonly string[]): CommandUse {
  const own = readWords(argv, GIT_ITSELF);
  const { at, options } = gitCommand(argv, own.operands[0]);
  const ownUse = useOf(argv, GIT_ITSELF, { ...own, operands: [] });
  if (!options) return { ...ownUse, unknown: [...ownUse.unknown, ...own.operands] };
  const words = readWords(argv, options, at + 1);
  const use = useOf(argv, options, words);
  const first = argv[words.operands[0] ?? -1];
  const text = `${argv[at]} ${first ?? ''}`;
  const isReadOnly = SHOWING.test(text) || keepsFiles(argv[at], words) || printsSetting(argv, at, words);
  // "ext::sh -c …" is a program in place of a URL.
  const programs = words.operands.filter((index) => /^\w+::/.test(argv[index] ?? ''));
  return {
    ...use,
    reads: [...use.reads, ...(isReadOnly ? use.writes : [])],
    writes: [...ownUse.writes, ...(isReadOnly ? [] : use.writes)],
    folders: ownUse.folders,
    changesUnnamedFiles: (use.changesUnnamedFiles && !isReadOnly) || FORGETTING.test(text),
    unknown: [...ownUse.unknown, ...use.unknown, ...programs],
    named: [...ownUse.named, ...use.named],
    ...(argv[at] === 'diff' && comparedFolders(words.operands.map((index) => argv[index] ?? ''))),
  };
}

/** Outside a repository, and for paths outside the working tree, `git diff a b` compares two folders. */
function comparedFolders(words: readonly string[]): Pick<CommandUse, 'shows'> {
  return words.length === 2 ? { shows: { words, below: 'all', isPair: true } } : {};
}

/** Forms of git commands that only show something, although the command can also change it. */
const SHOWING =
  /^(?:stash (?:list|show)|worktree list|submodule status|notes (?:list|show)|bundle list-heads|remote (?:show|get-url)?)$/;

/** Forms of git commands that delete something, although the command usually only shows it. */
const FORGETTING = /^reflog (?:expire|delete|drop)$/;

/** Options of `git apply` that replace applying. */
const CHECKS = ['check', 'stat', 'numstat', 'summary'];

/** True for the uses that only show something, create a branch at this commit or unstage files. */
function keepsFiles(verb: string | undefined, { given, operands }: ReadWords): boolean {
  if (verb === 'clean') return given.has('n') || given.has('dry-run');
  if (verb === 'apply') return CHECKS.some((option) => given.has(option));
  if (verb === 'symbolic-ref') return operands.length === 1;
  if (verb === 'restore') return (given.has('staged') || given.has('S')) && !given.has('worktree') && !given.has('W');
  const isNew = verb === 'checkout' ? given.has('b') : verb === 'switch' && (given.has('c') || given.has('create'));
  return isNew && operands.length === 0 && !['f', 'force', 'discard-changes', 'orphan'].some((each) => given.has(each));
}

/** Whether git only prints one setting, which holds no credentials. */
function printsSetting(argv: readonly string[], at: number, { operands }: ReadWords): boolean {
  const [name, ...more] = operands.map((index) => argv[index] ?? '');
  return argv[at] === 'config' && more.length === 0 && name !== undefined && OPEN_SETTING.test(name);
}
const OPEN_SETTING =
  /^(?:user|core|init|branch|push|pull|color|diff|merge|rebase|commit|format|i18n|log|rerere|status|tag|alias)\.[\w.-]+$/i;

/** Without a listing option an archive is written or unpacked. */
function archiveUse(argv: readonly string[], program: ProgramOptions): CommandUse {
  const [name = '', first = '', ...rest] = argv;
  // "tar tf x" is "tar -tf x".
  const words = knownProgram(name).endsWith('tar') && /^[a-z]/i.test(first) ? [name, `-${first}`, ...rest] : argv;
  const read = readWords(words, program);
  const isListing = ['t', 'list', 'l', 'v', 'Z'].some(
    (option) => read.given.has(option) && (option !== 'v' || !/tar$/i.test(name)),
  );
  // In this form each letter takes its own word: "tar tfI x y" runs y, "tar -tfI x y" does not.
  const isBundle = words !== argv && /f./.test(first);
  const isRemote = read.values.some(({ kind, text }) => kind === 'read' && text.includes(':'));
  const use = useOf(words, program, read);
  const changesUnnamedFiles = use.changesUnnamedFiles || !isListing || isRemote || isBundle;
  return {
    ...use,
    changesUnnamedFiles,
    ...(changesUnnamedFiles && { reads: [], writes: [...use.reads, ...use.writes] }),
  };
}

/** The first operand, or an option's value, is a script. */
function scriptUse(argv: readonly string[], name: string): CommandUse {
  return { folders: [], named: [], changesUnnamedFiles: false, ...readScript(argv, name) };
}

/** Divides the words of a command into read and written ones. */
export function useOf(argv: readonly string[], program: ProgramOptions, words: ReadWords): CommandUse {
  const { traits } = program;
  const operands = traits.has('text') ? [] : words.operands.map((index) => argv[index] ?? '');
  const of = (kind: OptionKind): string[] => words.values.flatMap((value) => (value.kind === kind ? [value.text] : []));
  const written = traits.has('in-out') ? operands.slice(1) : isWriter(traits) ? operands : [];
  const read = traits.has('in-out') ? operands.slice(0, 1) : isWriter(traits) ? [] : operands;
  const inOut = traits.has('in-out') ? words.operands.slice(1) : [];
  const loose =
    traits.has('any') && !traits.has('text') ? pathWords(argv.slice(1).filter((word) => word.startsWith('-'))) : [];
  const files = of('value').flatMap((text) => /^[^\s@]*@(.+)$/s.exec(text)?.slice(1) ?? []);
  const deep = belowOf(program, words);
  // Without a folder argument the command uses the working folder.
  const here = deep.below !== undefined && !isWriter(traits) && operands.length < 2 ? ['.'] : [];
  const writing = words.values.filter(({ kind }) => kind === 'write' || kind === 'folder' || kind === 'line');
  return {
    reads: [...read.flatMap(withParts), ...of('read').flatMap(withParts), ...files, ...loose, ...here],
    writes: [
      ...written,
      ...of('write'),
      ...of('folder'),
      ...(traits.has('copy') ? copiedFiles(operands, of('write')) : []),
    ],
    folders: of('folder'),
    ...deep,
    ...(traits.has('compares') && { shows: { words: [...read, ...of('read')], below: 'direct' as const } }),
    ...((traits.has('copy') || traits.has('in-out')) && { isCountSensitive: true }),
    unknown: words.unknown,
    named: [...writing.flatMap(({ indices }) => indices), ...inOut],
    changesUnnamedFiles: traits.has('changes'),
  };
}

function belowOf(
  { options, traits }: ProgramOptions,
  { given, values }: ReadWords,
): Pick<CommandUse, 'below' | 'only'> {
  const patterns = values.filter(({ kind }) => kind === 'filter').map(({ text }) => text);
  const only = patterns.filter((pattern) => !pattern.startsWith('!'));
  if (traits.has('deep') && isWriter(traits)) return { below: 'all' };
  const isDeep = Array.from(given).some((name) => options.get(name) === 'deep');
  // rg includes dotfiles that a pattern names; folders have no extension.
  if (traits.has('deep'))
    return only.length === 0
      ? { below: isDeep ? 'all' : 'shown' }
      : { below: only.every(hasEnding) && !isDeep ? 'files' : 'all', only };
  if (!isDeep) return {};
  // A leading exclusion includes the rest.
  return given.has('exclude') || given.has('exclude-from') || only.length === 0
    ? { below: 'all' }
    : { below: 'all', only };
}

function hasEnding(pattern: string): boolean {
  return /^(?!.*(?:^|\/)\.)[\w*/{},.-]*\*\.(?:\w+|\{[\w,]+\})$/.test(pattern);
}

function isWriter(traits: ProgramOptions['traits']): boolean {
  return traits.has('write') || traits.has('copy') || traits.has('changes');
}

/** `HEAD:.env` and `a=b` are not paths, but the part after the sign may be a path. */
function withParts(word: string): readonly string[] {
  return [word, ...pathWords([word]).filter((part) => part !== word)];
}

/** Options of cp that copy a link as a link. */
const KEEPS_LINKS = ['P', 'd', 'a', 'R', 'r', 'archive', 'recursive', 'no-dereference'];

function movedLinks(
  argv: readonly string[],
  name: string,
  { operands, values, given }: ReadWords,
): Pick<CommandUse, 'moved' | 'links'> {
  if (name === 'cp' && !KEEPS_LINKS.some((option) => given.has(option))) return {};
  const words = operands.map((index) => argv[index] ?? '');
  const into = values.find(({ kind }) => kind === 'write')?.text ?? (words.length > 1 ? words.at(-1) : '.') ?? '.';
  const moved = words.filter((word, index) => word !== into || index < words.length - 1);
  const links = moved.map((word) => `${into}/${nameOf(word)}`);
  return { moved, ...(name === 'ln' && { links: into === '.' ? links : [...links, into] }) };
}

/** Targets of files that are copied into a folder, and of links there. */
function copiedFiles(operands: readonly string[], targets: readonly string[]): readonly string[] {
  const into = targets.length > 0 ? targets : operands.length === 1 ? ['.'] : operands.slice(-1);
  const sources = targets.length > 0 || operands.length === 1 ? operands : operands.slice(0, -1);
  return into.flatMap((folder) => sources.flatMap((source) => targetsOf(source, folder)));
}

function targetsOf(source: string, folder: string): readonly string[] {
  const name = nameOf(source);
  if (source.startsWith('/')) return [`${folder}/${name}`];
  return [`${folder}/${name}`, `${folder}/${source}`, `${parentOf(folder)}/${source}`];
}

function nameOf(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

function parentOf(path: string): string {
  const plain = path.replace(/\/+$/, '');
  return plain.includes('/') ? plain.slice(0, plain.lastIndexOf('/')) || '/' : '.';
}

/** An unknown option with the next word, which may be its value. */
export function withValue(argv: readonly string[], index: number): readonly number[] {
  const hasValue = argv[index]?.includes('=') === true || index + 1 >= argv.length;
  return hasValue ? [index] : [index, index + 1];
}
