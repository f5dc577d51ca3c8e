import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { withWholeVerb } from '../programs/abbreviations';
import { changesFolder } from '../programs/commandWords';
import { PLAIN_SETTING } from '../programs/evaluatedWords';
import type { FileUse } from '../programs/fileUse';
import { anyUse, NOTHING } from '../programs/fileUse';
import { changedFiles, knownUse } from '../programs/knownUse';
import { useOf } from '../programs/operandUse';
import { readWords } from '../programs/options';
import { EFFECT_TEXTS, findOutsideEffect } from '../programs/outsideEffects';
import {
  changesPackages,
  codeWord,
  commandForPackages,
  externalCommand,
  packageCommand,
} from '../programs/packageCommand';
import { pathWords } from '../programs/pathWords';
import type { Program } from '../programs/program';
import { knownProgram, programOf } from '../programs/programNames';
import { programNamed, runs } from '../programs/programTable';
import { namedUse, unknownUse } from '../programs/unknownFolders';
import {
  commandsBehind,
  commandTexts,
  emptiedFolders,
  INPUT,
  isActingCmdlet,
  moduleBehind,
  programsBehind,
  riskyWord,
  runsAddress,
  SHELL_TEXT,
  unknownOptionTexts,
} from '../programs/unknownProgram';
import { parsePosixLine } from '../shell/posixShell';
import type { ParsedCommandLine } from '../shell/shellLine';

/** One command that a request finally runs, behind all wrappers and shells. */
export interface FinalCommand {
  readonly argv: readonly string[];
  readonly use: FileUse;
}

/** The understood parts of a command line. */
export interface FinalCommands {
  readonly finalCommands: readonly FinalCommand[];
  /** Why it is unknown what would run or be written; a few words. */
  readonly unclear?: string;
  /** The effect outside the files of the workspace; a few words. */
  readonly outsideEffect?: string;
}

type Step = ({ readonly argv: readonly string[] } | { readonly line: string }) & {
  /** Behind a program that may load variables for the command, from `.env` for example. */
  readonly isLoaded?: true;
  /** The words may also be data: only an effect outside the workspace counts. */
  readonly isOnlyEffect?: true;
};

interface Taken {
  readonly use?: FileUse;
  readonly steps?: readonly Step[];
  readonly problem?: string;
  readonly outsideEffect?: string;
}

/** Maximum number of nested commands; real command lines have fewer. */
const MAX_STEPS = 200;
/** Maximum number of words of all commands, nested ones counted again: each is looked at. */
const MAX_WORDS = 20_000;

/**
 * Follows commands to those they run. An unknown command is a final one; each of its words may be a file that the command
 * writes.
 */
export function readFinalCommands({ commands, globs = [] }: ParsedCommandLine): FinalCommands {
  const left: Step[] = commands.map((argv) => ({ argv }));
  const finals: FinalCommand[] = [];
  const seen = new Set<string>();
  const patterns = new Set(globs);
  let [unclear, outsideEffect]: (string | undefined)[] = [];
  const most = commands.length + MAX_STEPS;
  let words = MAX_WORDS;
  for (let count = 0; left.length > 0; count++) {
    const step = left.shift();
    // A line has at most one word for two characters.
    if (step) words -= 'line' in step ? step.line.length / 2 : step.argv.length;
    if (!step || count > most || words < 0)
      return { finalCommands: finals, unclear: t('it contains too many nested commands') };
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
    if (step.isOnlyEffect) {
      outsideEffect ??= findOutsideEffect(argv);
      continue;
    }
    const taken = take(argv);
    const final = { argv, use: taken.use ?? anyUse(argv) };
    finals.push(final);
    const isLoader = step.isLoaded === true || !passesOn(argv);
    for (const each of taken.steps ?? []) left.push(isLoader ? { ...each, isLoaded: true } : each);
    unclear ??= taken.problem ?? upwardReason(taken.use) ?? openGlob(final, taken.steps, patterns);
    outsideEffect ??=
      taken.outsideEffect ?? findOutsideEffect(argv) ?? (step.isLoaded && environmentReason(final, taken.steps));
  }
  return { finalCommands: finals, ...omitUndefined({ unclear, outsideEffect }) };
}

function loaded({ isLoaded = false }: { readonly isLoaded?: boolean }): { readonly isLoaded?: true } {
  return isLoaded ? { isLoaded } : {};
}

/** Shells and wrappers give the command their own environment. */
function passesOn(argv: readonly string[]): boolean {
  return runs(programOf(argv), 'shellLine', 'command');
}

/** Why a command with loaded variables asks: it prints them. */
function environmentReason({ argv }: FinalCommand, steps: readonly Step[] = []): string | undefined {
  const name = knownProgram(argv[0] ?? '');
  const when = programNamed(name)?.printsVariables;
  const isPrinted =
    when === 'always' ||
    (when === 'withoutCommand' && steps.length === 0) ||
    (when === 'withoutWords' && argv.length === 1) ||
    (when instanceof RegExp && argv.some((word) => when.test(word)));
  return isPrinted ? `${name} ${EFFECT_TEXTS.showsSecrets}` : undefined;
}

/** A glob in a position that is not known to be a file. */
function openGlob(
  { argv, use }: FinalCommand,
  steps: readonly Step[] = [],
  globs: ReadonlySet<string>,
): string | undefined {
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
function upwardReason(use: FileUse | undefined): string | undefined {
  const folder = use?.folders.find((each) => each.includes('..'));
  return folder === undefined ? undefined : unknownOption(folder);
}

function take(argv: readonly string[]): Taken {
  const [word = ''] = argv;
  const name = knownProgram(word);
  const program = programNamed(name);
  // Shells other than bash may take this for a program: "time -f x sh -c …".
  if (word.startsWith('-') || INPUT.test(word)) return { problem: unknownEffect(word) };
  if (program && runs(program, 'shellLine')) return readShell(argv, program, name);
  if (program && runs(program, 'command')) return readWrapper(argv, program);
  if (onlyPrints(argv, program)) return { use: NOTHING };
  if (runs(program, 'hidden') || isActingCmdlet(name)) return { problem: unknownEffect(name) };
  const use = knownUse(argv);
  if (use) return readKnown(argv, use);
  if (runs(program, 'sourcedScript')) return readSourced(argv, name);
  if (program && runs(program, 'packages')) return readPackageRunner(argv, program, name);
  if (program && runs(program, 'script')) return readInterpreter(argv, program, name);
  if (program && runs(program, 'targets')) return readTargets(argv, program);
  return readUnknown(argv, program, name);
}

/** Whether the command only prints information: `docker --version`, `docker ps`. */
function onlyPrints(argv: readonly string[], program: Program | undefined): boolean {
  const text = argv.slice(1).join(' ');
  return program?.onlyPrints?.test(text) === true || (runs(program, 'hidden') && /^--(?:version|help)$/.test(text));
}

/** Handles an unknown program by its words. */
function readUnknown(argv: readonly string[], program: Program | undefined, name: string): Taken {
  const risky = riskyWord(argv);
  if (risky !== undefined) return { problem: unknownOption(risky) };
  const use = unknownUse(argv);
  const change = changedFiles(argv, name);
  if (change !== undefined) return { problem: changesUnnamed(change) };
  const emptied = emptiedFolders(argv).map((folder) => ({ argv: ['rm', '-r', folder] }));
  if (runs(program, 'project')) return { use, steps: [...emptied, ...lineSteps(argv, unknownOptionTexts(argv))] };
  const behind = [...commandsBehind(argv), ...moduleBehind(argv)].map((each) => ({ argv: each }));
  const effects = programsBehind(argv).map((each) => ({ argv: each, isOnlyEffect: true as const }));
  const steps = [...emptied, ...behind, ...effects, ...lineSteps(argv)];
  return { use, steps, ...(runsAddress(argv) && { outsideEffect: `${name} ${EFFECT_TEXTS.downloads}` }) };
}

/** Command lines among the words, which the program may pass to a shell. */
function lineSteps(argv: readonly string[], indices?: readonly number[]): readonly Step[] {
  return commandTexts(argv, indices).map((text) => ({ line: text }));
}

function readKnown(argv: readonly string[], use: FileUse): Taken {
  const [unknown] = use.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  return { use, ...(use.changesUnnamedFiles && { problem: changesUnnamed(labelOf(argv)) }) };
}

/** `sh -c "line"`, or a script of the project. */
function readShell(argv: readonly string[], program: Program, name: string): Taken {
  const words = readWords(argv, program);
  const [first] = words.operands;
  const [unknown] = words.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  const setting = words.values.find(({ text }) => !PLAIN_SETTING.test(text));
  if (setting) return { problem: unknownOption(setting.text) };
  if (first === undefined)
    return words.given.has('version') || words.given.has('help') ? { use: NOTHING } : { problem: unknownEffect(name) };
  // "+x" is an option as well.
  if (argv[first]?.startsWith('+') === true) return { problem: unknownOption(argv[first]) };
  if (words.given.has('c')) return { use: NOTHING, steps: [{ line: argv[first] ?? '' }] };
  if (INPUT.test(argv[first] ?? '')) return { problem: unknownEffect(name) };
  return { use: { ...anyUse(argv.slice(first)), reads: [argv[first] ?? ''] } };
}

/** A script that the shell itself runs. */
function readSourced(argv: readonly string[], name: string): Taken {
  const files = argv.slice(1);
  if (files.some((word) => INPUT.test(word))) return { problem: unknownEffect(name) };
  return { use: { ...anyUse(argv), reads: files, writes: [] } };
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function readWrapper(argv: readonly string[], program: Program): Taken {
  const { printsWith, operandsBefore = 0, setsVariables } = program;
  // "command -v" only prints the program's path.
  if (printsWith?.split(' ').includes(argv[1] ?? '')) return { use: NOTHING };
  const words = readWords(argv, program);
  const [unknown] = words.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  const operands = words.operands.slice(operandsBefore);
  const from = operands.find((index) => !setsVariables || !ASSIGNMENT.test(argv[index] ?? ''));
  const use = useOf(argv, program, { ...words, operands: [] });
  return { use, ...(from !== undefined && { steps: [{ argv: argv.slice(from) }] }) };
}

/** A script of the project; inline scripts are not understood. */
function readInterpreter(argv: readonly string[], program: Program, name: string): Taken {
  if (program.options === undefined) return { problem: unknownEffect(name) };
  const words = readWords(argv, program);
  const [unknown] = words.unknown;
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  const module = words.values.find(({ kind }) => kind === 'last')?.text;
  if (module !== undefined) {
    if (!programNamed(module)?.isPythonModule) return { problem: unknownEffect(`${name} -m ${module}`) };
    // `python -m coverage run x` is `coverage run x`.
    return { steps: [{ argv: [module, ...argv.slice(argv.findIndex((word) => word.endsWith(module)) + 1)] }] };
  }
  const [first] = words.operands;
  const informing = ['V', 'h', 'version', 'help', ...(program.needsNoScriptWith?.split(' ') ?? [])];
  if (first === undefined && informing.some((option) => words.given.has(option))) return { use: NOTHING };
  if (first === undefined || INPUT.test(argv[first] ?? '')) return { problem: unknownEffect(name) };
  if (/^https?:/i.test(argv[first] ?? '')) return { outsideEffect: `${name} ${EFFECT_TEXTS.downloads}` };
  const risky = riskyWord(argv.slice(first));
  if (risky !== undefined) return { problem: unknownOption(risky) };
  const rest = anyUse(argv.slice(first));
  const tool = /(?:^|[\\/])node_modules[\\/](?:\.bin[\\/])?((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(argv[first] ?? '')?.[1];
  return {
    ...(tool !== undefined && omitUndefined({ outsideEffect: findOutsideEffect([tool, ...argv.slice(first + 1)]) })),
    use: {
      ...((tool !== undefined && namedUse([tool, ...argv.slice(first + 1)])) || rest),
      reads: [argv[first] ?? '', ...words.values.filter(({ kind }) => kind === 'read').map(({ text }) => text)],
    },
  };
}

/** `npm test` runs the project's script; `npx x …` runs the words themselves. */
function readPackageRunner(argv: readonly string[], program: Program, name: string): Taken {
  const { own, inner, line, unknown, verb, hasOnlyOptions, fetches } = packageCommand(argv, program);
  if (line !== undefined) return { use: NOTHING, steps: [{ line }] };
  const text = inner?.find((word, index) => index === 0 && SHELL_TEXT.test(word));
  const risky = unknown ?? text ?? codeWord(own, program) ?? riskyWord(own);
  if (risky !== undefined) return { problem: unknownOption(risky) };
  const each = commandForPackages(argv, program, verb);
  if (each) return { use: anyUse(argv), steps: [{ argv: each }] };
  const external = externalCommand(argv, program, name, verb);
  if (external) return { use: anyUse(argv), steps: [{ argv: external }] };
  const change = changedFiles(argv, name);
  if (change !== undefined) return { problem: changesUnnamed(change) };
  if (changesPackages(argv, program, verb, hasOnlyOptions)) return { problem: changesUnnamed(`${name} ${verb}`) };
  if (/^(?:eval|repl)$/.test(verb)) return { problem: unknownEffect(`${name} ${verb}`) };
  // `yarn wrangler deploy` runs a tool of the project if no script has that name.
  const tool =
    inner || !runsTools(program, verb) ? undefined : argv.slice(argv.indexOf(verb) + (verb === 'run' ? 1 : 0));
  const outsideEffect =
    fetches === undefined ? tool && findOutsideEffect(tool) : `${name} ${fetches} ${EFFECT_TEXTS.downloads}`;
  const steps = [...(inner ? [{ argv: inner }] : []), ...lineSteps(own)];
  const use = inner ? anyUse(own) : tool && namedUse(tool);
  return { ...omitUndefined({ outsideEffect, use }), steps };
}

function runsTools({ packages }: Program, verb: string): boolean {
  return packages?.verbMayBeProgram === true && !/^(?:|serve|why|info|view|show|search|ls|list|help|npm)$/.test(verb);
}

/** Make variables with a plain value run nothing. */
const PLAIN_VARIABLE = /^(?!SHELL=|MAKE|.*FLAGS=)\w+[:+?]?=[\w.,:@%+/-]*$/;

/** CMake variables that name neither a program nor a file. */
const PLAIN_DEFINE = /^\w+(?::\w+)?=(?:ON|OFF|TRUE|FALSE|YES|NO|\d+|Debug|Release|RelWithDebInfo|MinSizeRel)$/i;

function readTargets(argv: readonly string[], program: Program): Taken {
  const words = readWords(argv, program);
  const defines = words.values.filter(({ indices: [at = 0] }) => /^-vD|^-D/.test(argv[at] ?? ''));
  const unknown =
    words.unknown[0] ??
    defines.find(({ text }) => !PLAIN_DEFINE.test(text))?.indices[0] ??
    words.values.find(({ kind, text }) => kind === 'read' && INPUT.test(text))?.indices[0] ??
    words.operands.find((index) => argv[index]?.includes('=') === true && !PLAIN_VARIABLE.test(argv[index] ?? ''));
  if (unknown !== undefined) return { problem: unknownOption(argv[unknown] ?? '') };
  return { use: { ...useOf(argv, program, words), writes: pathWords(argv.slice(1)) } };
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

function labelOf(argv: readonly string[]): string {
  const [program = '', ...words] = argv;
  const verb = words.find((word) => !word.startsWith('-'));
  return programOf(argv)?.subcommands && verb !== undefined ? `${program} ${verb}` : program;
}
