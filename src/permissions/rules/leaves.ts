import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { withWholeVerb } from './abbreviations';
import { beyondReason, DOWNLOADS } from './beyond';
import type { CommandUse } from '../programs/commandUse';
import { anyUse, commandUse, NOTHING, PLAIN_SETTING, useOf } from '../programs/commandUse';
import { SHOWS } from './effectWords';
import { codeWord, commandTexts, INPUT, SHELL_TEXT } from '../programs/inlineCode';
import { readWords } from '../programs/optionTable';
import { pathWords } from '../programs/pathWords';
import { packageCommand } from '../programs/packageCommand';
import { changesPackages, commandForPackages } from '../programs/packageVerbs';
import { projectTools, PYTHON_TOOLS } from '../programs/projectTools';
import { workingCopyChange } from '../programs/versionControl';
import { writingPrograms } from '../programs/writingPrograms';
import { shells, UNREADABLE, wrapperPrograms } from '../programs/wrapperPrograms';
import { knownProgram } from '../programs/programNames';
import { changesFolder, INTERPRETERS, PACKAGE_RUNNERS, PRINTS_VARIABLES } from '../programs/knownPrograms';
import type { ParsedCommandLine } from '../shell/shellLine';
import { parsePosixLine } from '../shell/posixShell';
import { namedUse, unknownUse } from './unknownFolders';
import { commandsBehind, moduleBehind, riskyWord } from '../programs/unknownProgram';

/** One command that a request finally runs, behind all wrappers and shells. */
export interface Leaf {
  readonly argv: readonly string[];
  readonly use: CommandUse;
}

/** The understood parts of a command line. */
export interface Leaves {
  readonly leaves: readonly Leaf[];
  /** Why it is unknown what would run or be written; a few words. */
  readonly unclear?: string;
  /** The effect beyond workspace files; a few words. */
  readonly beyond?: string;
}

type Step = ({ readonly argv: readonly string[] } | { readonly line: string }) & {
  /** Behind a program that may load variables for the command, from `.env` for example. */
  readonly isLoaded?: true;
};

interface Taken {
  readonly leaf?: CommandUse;
  readonly steps?: readonly Step[];
  readonly problem?: string;
  readonly beyond?: string;
}

/** Maximum number of nested commands; real command lines have fewer. */
const MAX_STEPS = 200;
/** Maximum number of words of all commands, nested ones counted again: each is looked at. */
const MAX_WORDS = 20_000;

/**
 * Follows commands to those they run. An unknown command is a leaf; each of its words may be a file that the command
 * writes.
 */
export function readLeaves({ commands, globs = [] }: Pick<ParsedCommandLine, 'commands' | 'globs'>): Leaves {
  const left: Step[] = commands.map((argv) => ({ argv }));
  const leaves: Leaf[] = [];
  const seen = new Set<string>();
  const patterns = new Set(globs);
  let [unclear, beyond]: (string | undefined)[] = [];
  const most = commands.length + MAX_STEPS;
  let words = MAX_WORDS;
  for (let count = 0; left.length > 0; count++) {
    const step = left.shift();
    // A line has at most one word for two characters.
    if (step) words -= 'line' in step ? step.line.length / 2 : step.argv.length;
    if (!step || count > most || words < 0) return { leaves, unclear: t('it contains too many nested commands') };
    const key = JSON.stringify(step);
    // Several wrappers may lead to the same suffix.
    if (seen.has(key)) continue;
    seen.add(key);
    if ('line' in step) {
      const read = parsePosixLine(step.line);
      left.push(...read.commands.map((argv) => ({ argv, ...loaded(step) })));
      for (const glob of read.globs ?? []) patterns.add(glob);
      unclear ??= read.unread;
      continue;
    }
    const argv = withWholeVerb(step.argv);
    const taken = take(argv);
    const leaf = { argv, use: taken.leaf ?? anyUse(argv) };
    leaves.push(leaf);
    const isLoader = step.isLoaded === true || !passesOn(argv);
    for (const each of taken.steps ?? []) left.push(isLoader ? { ...each, isLoaded: true } : each);
    unclear ??= taken.problem ?? upwardReason(taken.leaf) ?? openGlob(leaf, taken.steps, patterns);
    beyond ??= taken.beyond ?? beyondReason(argv) ?? (step.isLoaded && environmentReason(leaf, taken.steps));
  }
  return { leaves, ...omitUndefined({ unclear, beyond }) };
}

function loaded({ isLoaded = false }: { readonly isLoaded?: boolean }): { readonly isLoaded?: true } {
  return isLoaded ? { isLoaded } : {};
}

/** Shells and wrappers give the command their own environment. */
function passesOn([program = '']: readonly string[]): boolean {
  const name = knownProgram(program);
  return shells.has(name) || wrapperPrograms.has(name);
}

/** Why a command with loaded variables asks: it prints them. */
function environmentReason({ argv }: Leaf, steps: readonly Step[] = []): string | undefined {
  const name = knownProgram(argv[0] ?? '');
  const isPrinted =
    PRINTS_VARIABLES.test(name) ||
    ((name === 'env' || (name === 'set' && argv.length === 1)) && steps.length === 0) ||
    (/^g?make$/.test(name) && argv.some((word) => /^-[A-Za-z]*p|^--print-data-base$/.test(word)));
  return isPrinted ? `${name} ${SHOWS}` : undefined;
}

/** A glob in a position that is not known to be a file. */
function openGlob({ argv, use }: Leaf, steps: readonly Step[] = [], globs: ReadonlySet<string>): string | undefined {
  const found = argv.filter((word) => globs.has(word));
  if (found.length === 0) return undefined;
  const behind = steps.flatMap((step) => ('argv' in step ? step.argv.slice(1) : []));
  const files = new Set([...use.reads, ...use.writes, ...behind]);
  const isKnown = (word: string): boolean =>
    files.has(word) || (use.only !== undefined && word.startsWith('--include='));
  const isFolder = changesFolder(argv) || use.folders.some((folder) => globs.has(folder));
  return use.isCountSensitive === true || isFolder || !found.every(isKnown)
    ? t('it uses an unquoted file pattern')
    : undefined;
}

/** A working folder with "..", whose meaning depends on links. */
function upwardReason(use: CommandUse | undefined): string | undefined {
  const folder = use?.folders.find((each) => each.includes('..'));
  return folder === undefined ? undefined : unknownOption(folder);
}

function take(argv: readonly string[]): Taken {
  const [program = ''] = argv;
  const name = knownProgram(program);
  // Shells other than bash may take this for a program: "time -f x sh -c …".
  if (program.startsWith('-') || INPUT.test(program)) return { problem: unknownEffect(program) };
  if (shells.has(name)) return readShell(argv, name);
  if (wrapperPrograms.has(name)) return readWrapper(argv, name);
  if (onlyPrints(argv, name)) return { leaf: NOTHING };
  if (UNREADABLE.has(name) || CMDLETS.test(name)) return { problem: unknownEffect(name) };
  const use = commandUse(argv);
  if (use) return readKnown(argv, use);
  if (name === 'source' || name === '.') return readSourced(argv, name);
  if (INTERPRETERS.test(name) && !PACKAGE_RUNNERS.has(name)) return readInterpreter(argv, name);
  if (PACKAGE_RUNNERS.has(name)) return readPackageRunner(argv, name);
  if (name === 'make' || name === 'gmake' || name === 'cmake') return readMake(argv, name);
  return readUnknown(argv, name);
}

/** PowerShell commands that run, load, register or set something other than file content. */
const CMDLETS =
  /^(?:(?:invoke|start|stop|register|unregister|enter|enable|disable|import|install|uninstall|update|measure|trace|restart|suspend|resume|debug|connect|publish|save|receive|send)-(?!object$|stop-)[a-z]+|(?:new|set|add|remove|clear)-(?!item$|content$|location$|object$)[a-z]+)$/;

const CONTAINERS =
  /^(?:(?:compose |container |volume |network )?(?:ps|ls)|images|image ls|version)(?: --?[a-z-]+(?:=[\w.]+)?)*$/;

/** Whether the command only prints information: `docker --version`, `docker ps`. */
function onlyPrints(argv: readonly string[], name: string): boolean {
  const text = argv.slice(1).join(' ');
  if (/^(?:docker|podman|nerdctl)(?:-compose)?$/.test(name) && CONTAINERS.test(text)) return true;
  return UNREADABLE.has(name) && /^--(?:version|help)$/.test(text);
}

/** Handles an unknown program by its words. */
function readUnknown(argv: readonly string[], name: string): Taken {
  const risky = riskyWord(argv);
  if (risky !== undefined) return { problem: unknownOption(risky) };
  const leaf = unknownUse(argv);
  const change = workingCopyChange(argv, name);
  if (change !== undefined) return { problem: changesUnnamed(change) };
  if (projectTools.has(name)) return { leaf };
  const behind = [...commandsBehind(argv, isProgram), ...moduleBehind(argv, name)];
  return { leaf, steps: [...behind.map((each) => ({ argv: each })), ...lineSteps(argv)] };
}

/** Command lines among the words, which the program may pass to a shell. */
function lineSteps(argv: readonly string[]): readonly Step[] {
  return commandTexts(argv, isRunner).map((text) => ({ line: text }));
}

/** Programs that run other programs; no subcommand or file has such a name. */
const RUNS_OTHERS =
  /^(?:sudo|doas|su|xargs|parallel|ssh|busybox|pwsh|powershell|cmd|iex|invoke-expression|chroot|unshare)$/;

function isProgram(word: string): boolean {
  return isRunner(word) || PRINTS_VARIABLES.test(knownProgram(word));
}

/** A program that runs others, or changes files. */
function isRunner(word: string): boolean {
  const name = knownProgram(word);
  return (
    shells.has(name) ||
    (wrapperPrograms.has(name) && name !== 'command') ||
    writingPrograms.has(name) ||
    INTERPRETERS.test(name) ||
    PACKAGE_RUNNERS.has(name) ||
    name === 'pip' ||
    RUNS_OTHERS.test(name)
  );
}

function readKnown(argv: readonly string[], use: CommandUse): Taken {
  const [unknown] = use.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  return { leaf: use, ...(use.changesUnnamedFiles && { problem: changesUnnamed(labelOf(argv)) }) };
}

/** `sh -c "line"`, or a script of the project. */
function readShell(argv: readonly string[], name: string): Taken {
  const table = shells.get(name);
  const words = table && readWords(argv, table);
  const [first] = words?.operands ?? [];
  if (!words || words.unknown.length > 0) return { problem: unknownOption(argv[words?.unknown[0] ?? 0] ?? '') };
  const setting = words.values.find(({ text }) => !PLAIN_SETTING.test(text));
  if (setting) return { problem: unknownOption(setting.text) };
  if (first === undefined)
    return words.given.has('version') || words.given.has('help') ? { leaf: NOTHING } : { problem: unknownEffect(name) };
  // "+x" is an option as well.
  if (argv[first]?.startsWith('+') === true) return { problem: unknownOption(argv[first]) };
  if (words.given.has('c')) return { leaf: NOTHING, steps: [{ line: argv[first] ?? '' }] };
  if (INPUT.test(argv[first] ?? '')) return { problem: unknownEffect(name) };
  return { leaf: { ...anyUse(argv.slice(first)), reads: [argv[first] ?? ''] } };
}

/** A script that the shell itself runs. */
function readSourced(argv: readonly string[], name: string): Taken {
  const files = argv.slice(1);
  if (files.some((word) => INPUT.test(word))) return { problem: unknownEffect(name) };
  return { leaf: { ...anyUse(argv), reads: files, writes: [] } };
}

/** Number of operands before the command. */
const BEFORE: Readonly<Record<string, number>> = { timeout: 1, gtimeout: 1 };
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function readWrapper(argv: readonly string[], name: string): Taken {
  const table = wrapperPrograms.get(name);
  if (!table) return {};
  // "command -v" only prints the program's path.
  if (name === 'command' && /^-[vV]$/.test(argv[1] ?? '')) return { leaf: NOTHING };
  const words = readWords(argv, table);
  const [unknown] = words.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  const operands = words.operands.slice(BEFORE[name] ?? 0);
  const from =
    name === 'env' || name === 'cross-env'
      ? operands.find((index) => !ASSIGNMENT.test(argv[index] ?? ''))
      : operands[0];
  const leaf = useOf(argv, table, { ...words, operands: [] });
  return { leaf, ...(from !== undefined && { steps: [{ argv: argv.slice(from) }] }) };
}

/** Interpreters that only print their version with `-v`; Python runs its input. */
const TELLS_VERSION = /^(?:node|nodejs|perl|ruby|php|lua|luajit|julia)$/;

/** A script of the project; inline scripts are not understood. */
function readInterpreter(argv: readonly string[], name: string): Taken {
  const table = projectTools.get(name.replace(/^(?:pypy|py)$/, 'python'));
  if (!table) return { problem: unknownEffect(name) };
  const words = readWords(argv, table);
  const [unknown] = words.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  const module = words.values.find(({ kind }) => kind === 'last')?.text;
  if (module !== undefined) {
    if (!PYTHON_TOOLS.test(module)) return { problem: unknownEffect(`${name} -m ${module}`) };
    // `python -m coverage run x` is `coverage run x`.
    return { steps: [{ argv: [module, ...argv.slice(argv.findIndex((word) => word.endsWith(module)) + 1)] }] };
  }
  const [first] = words.operands;
  const isReadOnly = ['V', 'h', 'version', 'help', 'test'].some((option) => words.given.has(option));
  if (first === undefined && (isReadOnly || (words.given.has('v') && TELLS_VERSION.test(name))))
    return { leaf: NOTHING };
  if (first === undefined || INPUT.test(argv[first] ?? '')) return { problem: unknownEffect(name) };
  if (/^https?:/i.test(argv[first] ?? '')) return { beyond: `${name} ${DOWNLOADS}` };
  const risky = riskyWord(argv.slice(first));
  if (risky !== undefined) return { problem: unknownOption(risky) };
  const rest = anyUse(argv.slice(first));
  const tool = /(?:^|[\\/])node_modules[\\/](?:\.bin[\\/])?((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(argv[first] ?? '')?.[1];
  return {
    ...(tool !== undefined && omitUndefined({ beyond: beyondReason([tool, ...argv.slice(first + 1)]) })),
    leaf: {
      ...((tool !== undefined && namedUse([tool, ...argv.slice(first + 1)])) || rest),
      reads: [argv[first] ?? '', ...words.values.filter(({ kind }) => kind === 'read').map(({ text }) => text)],
    },
  };
}

/** `npm test` runs the project's script; `npx x …` runs the words themselves. */
function readPackageRunner(argv: readonly string[], name: string): Taken {
  const { own, inner, line, unknown, verb, hasOnlyOptions, fetches } = packageCommand(argv, name);
  if (line !== undefined) return { leaf: NOTHING, steps: [{ line }] };
  const text = inner?.find((word, index) => index === 0 && SHELL_TEXT.test(word));
  const risky = unknown ?? text ?? codeWord(own, name) ?? riskyWord(own);
  if (risky !== undefined) return { problem: unknownOption(risky) };
  const each = commandForPackages(argv, name, verb);
  if (each) return { leaf: anyUse(argv), steps: [{ argv: each }] };
  const change = workingCopyChange(argv, name);
  if (change !== undefined) return { problem: changesUnnamed(change) };
  if (changesPackages(argv, name, verb, hasOnlyOptions)) return { problem: changesUnnamed(`${name} ${verb}`) };
  if (/^(?:eval|repl)$/.test(verb)) return { problem: unknownEffect(`${name} ${verb}`) };
  const beyond =
    fetches === undefined ? (inner ? undefined : toolReason(argv, name, verb)) : `${name} ${fetches} ${DOWNLOADS}`;
  const steps = [...(inner ? [{ argv: inner }] : []), ...lineSteps(own)];
  const leaf = inner ? anyUse(own) : runsTools(name, verb) ? namedUse(argv.slice(argv.indexOf(verb))) : undefined;
  return { ...omitUndefined({ beyond, leaf }), steps };
}

/** `yarn wrangler deploy` runs a tool of the project if no script has that name. */
function toolReason(argv: readonly string[], name: string, verb: string): string | undefined {
  return runsTools(name, verb) ? beyondReason(argv.slice(argv.indexOf(verb))) : undefined;
}

function runsTools(name: string, verb: string): boolean {
  return /^(?:pnpm|yarn|bun)$/.test(name) && !/^(?:|run|serve|why|info|view|show|search|ls|list|help|npm)$/.test(verb);
}

/** Make variables with a plain value run nothing. */
const PLAIN_VARIABLE = /^(?!SHELL=|MAKE|.*FLAGS=)\w+[:+?]?=[\w.,:@%+/-]*$/;

/** CMake variables that name neither a program nor a file. */
const PLAIN_DEFINE = /^\w+(?::\w+)?=(?:ON|OFF|TRUE|FALSE|YES|NO|\d+|Debug|Release|RelWithDebInfo|MinSizeRel)$/i;

function readMake(argv: readonly string[], name: string): Taken {
  const table = projectTools.get(name);
  if (!table) return {};
  const words = readWords(argv, table);
  const defines = words.values.filter(({ indices: [at = 0] }) => name === 'cmake' && /^-vD|^-D/.test(argv[at] ?? ''));
  const unknown =
    words.unknown[0] ??
    defines.find(({ text }) => !PLAIN_DEFINE.test(text))?.indices[0] ??
    words.values.find(({ kind, text }) => kind === 'read' && INPUT.test(text))?.indices[0] ??
    words.operands.find((index) => argv[index]?.includes('=') === true && !PLAIN_VARIABLE.test(argv[index] ?? ''));
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  return { leaf: { ...useOf(argv, table, words), writes: pathWords(argv.slice(1)) } };
}

function unknownOption(word: string): string {
  return t('“{0}” may run a program or write a file', word);
}

function unknownEffect(program: string): string {
  return t('Parley cannot determine what “{0}” would run', program);
}

function changesUnnamed(command: string): string {
  return t('“{0}” may change files not named in the command', command);
}

function labelOf([program = '', ...words]: readonly string[]): string {
  const verb = words.find((word) => !word.startsWith('-'));
  return knownProgram(program) === 'git' && verb !== undefined ? `${program} ${verb}` : program;
}
