import { KEYWORDS } from '../shell/powerShell';
import type { FileUse } from './fileUse';
import { knownUse } from './knownUse';
import { useOf } from './operandUse';
import type { OptionSyntax } from './options';
import { readWords } from './options';
import type { Program } from './program';
import { plainName, programName, programOf } from './programNames';
import { programNamed, runs } from './programTable';
import { subcommandNamed } from './subcommands';
import { COMMON_OPTIONS } from './table/projectTools';
import { optionText, textIndices, unknownOptionTexts } from './unknownProgram';

/** The words of a command that a rule must name, and those that may be commands themselves. */

/**
 * Words that a rule must name literally, because they select what runs: indices into `argv`, always including the program. `all` for every
 * word.
 */
export function significantWords(argv: readonly string[]): readonly number[] | 'all' {
  const program = programAnywhere(argv);
  if (needsEveryWord(program) || runs(program, 'script')) return 'all';
  if (program && runs(program, 'packages')) return packageWords(argv, program);
  const use = knownUse(argv);
  if (program?.subcommands) return subcommandWords(argv, use, program);
  if (use?.changesUnnamedFiles === true) return 'all';
  return [0, ...(use ? usedWords(argv, use) : optionWords(argv, toolSyntax(program), 1))];
}

/** As `programOf`, also for a program outside the system folders: a rule may not treat `./sudo` as less than `sudo`. */
function programAnywhere([word = '']: readonly string[]): Program | undefined {
  return programNamed(plainName(programName(word)));
}

/** Whether any word may be a program or a script. */
function needsEveryWord(program: Program | undefined): boolean {
  return program?.everyWord === true || runs(program, 'hidden', 'shellLine', 'command');
}

/** The options of a project's tool; for any other program those that are harmless everywhere. */
function toolSyntax(program: Program | undefined): OptionSyntax {
  return program && runs(program, 'project') ? program : { options: COMMON_OPTIONS };
}

/**
 * Unknown options, each with the next word, which may be its value. Also the words of known options that write or change
 * the folder.
 */
function usedWords(argv: readonly string[], { unknown, named }: FileUse): readonly number[] {
  return [...unknown.flatMap((index) => withValue(argv, index)), ...named];
}

function optionWords(argv: readonly string[], syntax: OptionSyntax, from: number): readonly number[] {
  // The project's script takes words after "--" as options.
  const words = argv.map((word) => (word === '--' ? '' : word));
  return usedWords(argv, useOf(words, syntax, readWords(words, syntax, from)));
}

/** Up to the first two operands: `npm run build`, `npx eslint`; and the options of what that runs. */
function packageWords(argv: readonly string[], program: Program): readonly number[] {
  const plain = argv.flatMap((word, index) => (index > 0 && !word.startsWith('-') ? [index] : []));
  const isRun = /^(?:run|run-script|exec|x|dlx|tool|create|init|start|execute)$/.test(argv[plain[0] ?? 0] ?? '');
  const last = plain[isRun ? 1 : 0] ?? argv.length - 1;
  const through = Array.from({ length: last + 1 }, (_, index) => index);
  const tool = programNamed(programName(argv[last] ?? ''));
  const syntax = program.packages?.optionsBehindVerb && !runs(tool, 'project') ? program : toolSyntax(tool);
  return [...through, ...optionWords(argv, syntax, last + 1)];
}

function subcommandWords(
  argv: readonly string[],
  use: FileUse | undefined,
  program: Program,
): readonly number[] | 'all' {
  const first = argv.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  if (first < 0 || !use || subcommandNamed(program, argv[first])?.everyWord) return 'all';
  return [0, first, ...usedWords(argv, use)];
}

/** Whether the words of a command may be another command. */
export function runsWords(argv: readonly string[]): boolean {
  const program = programAnywhere(argv);
  return (
    needsEveryWord(program) ||
    runs(program, 'packages') ||
    program?.mayRunWords === true ||
    KEYWORDS.test(plainName(programName(argv[0] ?? '')))
  );
}

/**
 * All commands these words may contain: the words themselves and, for a program that runs its words, each suffix. For deny rules.
 * @param most maximum number of commands
 */
export function nestedCommands(argv: readonly string[], most: number): readonly (readonly string[])[] {
  return runsWords(argv) ? argv.slice(0, most).map((_, index) => argv.slice(index)) : [argv];
}

/**
 * Each suffix of an unknown program's words, since it may run them: `dotenv -- rm x`, `conda run rm x`, `op run -- rm x`. For rules that
 * ask or deny.
 * @param most maximum number of suffixes
 */
export function endsBehind(argv: readonly string[], most: number): readonly (readonly string[])[] {
  if (runsWords(argv) || knownUse(argv) !== undefined || runs(programOf(argv), 'project')) return [];
  const starts = argv.flatMap((word, index) => (index === 0 || word === '' || word.startsWith('-') ? [] : [index]));
  return starts.slice(0, most).map((index) => argv.slice(index));
}

/** Words of a command that may be shell lines. For deny rules. */
export function innerTexts(argv: readonly string[]): readonly string[] {
  const use = knownUse(argv);
  const indices = runsWords(argv)
    ? argv.map((_, index) => index).slice(1)
    : use
      ? use.unknown.flatMap((index) => withValue(argv, index))
      : runs(programOf(argv), 'project')
        ? unknownOptionTexts(argv)
        : textIndices(argv);
  return indices.flatMap((index) => {
    const word = argv[index] ?? '';
    if (!/\s/.test(word)) return [];
    const value = word.slice(word.indexOf('=') + 1);
    const glued = /^-[A-Za-z](.+)$/s.exec(word)?.[1] ?? '';
    return [word, value, glued, optionText(word)]
      .filter((text) => /\S\s+\S/.test(text))
      .map((text) => text.replace(/^!/, ''));
  });
}

/** An unknown option with the next word, which may be its value. */
function withValue(argv: readonly string[], index: number): readonly number[] {
  const hasValue = argv[index]?.includes('=') === true || index + 1 >= argv.length;
  return hasValue ? [index] : [index, index + 1];
}

/** Whether the command changes the working folder, as far as its words are known. */
export function changesFolder(argv: readonly string[]): boolean {
  return programNamed(programName(argv[0] ?? ''))?.changesFolder === true;
}

/** Whether the command changes to a folder that its words do not name: home, or the previous folder. */
export function goesToUnknownFolder(argv: readonly string[]): boolean {
  return changesFolder(argv) && argv.slice(1).every((word) => word === '' || word.startsWith('-'));
}
