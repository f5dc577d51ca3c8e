import type { CommandUse } from './commandUse';
import { anyUse, commandUse, useOf, withValue } from './commandUse';
import type { ProgramOptions } from './optionTable';
import { readWords } from './optionTable';
import { COMMON, projectTools } from './projectTools';
import { shells, UNREADABLE, wrapperPrograms } from './wrapperPrograms';
import { textIndices } from './inlineCode';
import { knownProgram, plainName, programName } from './programNames';
import { KEYWORDS } from '../shell/powerShell';

/** Knowledge about programs: which of their words run something else, and what their words do to files. */

/** Programs whose words are a program or a script: every word counts. */
const RUNNERS: ReadonlySet<string> = new Set([
  ...UNREADABLE,
  ...shells.keys(),
  ...wrapperPrograms.keys(),
  ...`source . readonly set more awk gawk mawk nawk sed gsed make gmake cmake ninja just task helm terraform ansible ansible-playbook gh glab
  hub git-filter-repo sqlite perl ruby lua php r rscript`.split(/\s+/),
]);

/** Programs that download or find a program and run it: rules must name what they run, but not its arguments. */
export const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(
  'npx bunx pnpx uvx pipx dlx corepack npm pnpm yarn bun deno uv poetry pipenv rye hatch pdm bundle rake cargo go dotnet mvn gradle gradlew mvnw composer mix sbt lein'.split(
    ' ',
  ),
);

/** Programs that run a script given as an option. */
export const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python|pypy|py|perl|ruby|php|lua|luajit|r|rscript|julia|octave|guile|racket|sbcl|clisp|swipl|ocaml|gjs|qjs|d8|jsc|raku|janet|fennel|gosh|chez|pwsh|java|jshell|scala|groovy|elixir|erl|ghc|runghc|runhaskell)$/;

/** Programs that print variables of their environment. */
export const PRINTS_VARIABLES = /^(?:g?printenv|genv|envsubst)$/;

/** Words of git that run something, or configure what runs later. */
const GIT_RISKY =
  /^(?:config|difftool|mergetool|bisect|rebase|submodule|filter-branch|filter-repo|hook|maintenance|daemon|instaweb|send-email|credential|archive|upload-pack|receive-pack|upload-archive|fast-import|update-index|worktree|clone|init|remote|alias|apply|am)$/;

/**
 * Words that a rule must name literally, because they select what runs: indices into `argv`, always including the program. `all` for every
 * word.
 */
export function significantWords(argv: readonly string[]): readonly number[] | 'all' {
  const name = plainName(programName(argv[0] ?? ''));
  if (RUNNERS.has(name) || INTERPRETERS.test(name)) return 'all';
  if (PACKAGE_RUNNERS.has(name)) return packageWords(argv, name);
  const use = commandUse(argv);
  if (use?.changesUnnamedFiles === true && name !== 'git') return 'all';
  if (name === 'git') return gitWords(argv, use);
  return [0, ...(use ? usedWords(argv, use) : optionWords(argv, projectTools.get(name) ?? COMMON, 1))];
}

/**
 * Unknown options, each with the next word, which may be its value. Also the words of known options that write or change
 * the folder.
 */
function usedWords(argv: readonly string[], { unknown, named }: CommandUse): readonly number[] {
  return [...unknown.flatMap((index) => withValue(argv, index)), ...named];
}

function optionWords(argv: readonly string[], options: ProgramOptions, from: number): readonly number[] {
  // The project's script takes words after "--" as options.
  const words = argv.map((word) => (word === '--' ? '' : word));
  return usedWords(argv, useOf(words, options, readWords(words, options, from)));
}

/** Up to the first two operands: `npm run build`, `npx eslint`; and the options of what that runs. */
function packageWords(argv: readonly string[], name: string): readonly number[] {
  const plain = argv.flatMap((word, index) => (index > 0 && !word.startsWith('-') ? [index] : []));
  const isRun = /^(?:run|run-script|exec|x|dlx|tool|create|init|start|execute)$/.test(argv[plain[0] ?? 0] ?? '');
  const last = plain[isRun ? 1 : 0] ?? argv.length - 1;
  const through = Array.from({ length: last + 1 }, (_, index) => index);
  const tool =
    projectTools.get(programName(argv[last] ?? '')) ?? (/^(?:go|cargo)$/.test(name) ? projectTools.get(name) : COMMON);
  return [...through, ...optionWords(argv, tool ?? COMMON, last + 1)];
}

function gitWords(argv: readonly string[], use: CommandUse | undefined): readonly number[] | 'all' {
  const first = argv.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  if (first < 0 || !use || GIT_RISKY.test(argv[first] ?? '')) return 'all';
  return [0, first, ...usedWords(argv, use)];
}

/** Whether the words of a command may be another command. */
export function runsWords([program = '']: readonly string[]): boolean {
  const name = plainName(programName(program));
  return RUNNERS.has(name) || PACKAGE_RUNNERS.has(name) || name === 'find' || name === 'fd' || KEYWORDS.test(name);
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
  const [program = ''] = argv;
  if (runsWords(argv) || commandUse(argv) !== undefined || projectTools.has(knownProgram(program))) return [];
  const starts = argv.flatMap((word, index) => (index === 0 || word === '' || word.startsWith('-') ? [] : [index]));
  return starts.slice(0, most).map((index) => argv.slice(index));
}

/** Words of a command that may be shell lines. For deny rules. */
export function innerTexts(argv: readonly string[]): readonly string[] {
  const use = commandUse(argv);
  const isUnknown = use === undefined && !projectTools.has(knownProgram(argv[0] ?? ''));
  const indices = runsWords(argv)
    ? argv.map((_, index) => index).slice(1)
    : isUnknown
      ? textIndices(argv)
      : (use?.unknown ?? []).flatMap((index) => withValue(argv, index));
  return indices.flatMap((index) => {
    const word = argv[index] ?? '';
    const value = word.slice(word.indexOf('=') + 1);
    const glued = /^-[A-Za-z](.+)$/s.exec(word)?.[1] ?? '';
    return [word, value, glued].filter((text) => /\S\s+\S/.test(text)).map((text) => text.replace(/^!/, ''));
  });
}

/** Whether the command changes the working folder, as far as its words are known. */
export function changesFolder(argv: readonly string[]): boolean {
  return /^(?:cd|pushd|chdir|set-location|sl)$/.test(programName(argv[0] ?? ''));
}

/** Whether the command changes to a folder that its words do not name: home, or the previous folder. */
export function goesToUnknownFolder(argv: readonly string[]): boolean {
  return changesFolder(argv) && argv.slice(1).every((word) => word === '' || word.startsWith('-'));
}

/** Words that may be files, read or written. */
export function fileWords(argv: readonly string[]): Pick<CommandUse, 'reads' | 'writes'> {
  const use = commandUse(argv);
  return use && use.unknown.length === 0 ? use : anyUse(argv);
}
