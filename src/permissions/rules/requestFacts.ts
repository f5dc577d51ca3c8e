import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { changesFolder } from '../programs/commandWords';
import { EFFECT_TEXTS } from '../programs/outsideEffects';
import { programName } from '../programs/programNames';
import { programNamed } from '../programs/programTable';
import { parsePosixLine } from '../shell/posixShell';
import { parsePowerShellLine } from '../shell/powerShell';
import type { ParsedCommandLine } from '../shell/shellLine';
import { suspiciousCharacters } from '../shell/shellLine';
import { openingVariable } from './commandVariables';
import type { FinalCommands } from './finalCommands';
import { readFinalCommands } from './finalCommands';
import type { NestedCommands } from './nestedCommands';
import { readNestedCommands } from './nestedCommands';
import { NO_SHELL } from './permissionRule';
import { normalizePath, resolveFrom, wordPaths } from './rulePaths';
import type { RuleCommand, RuleRequest } from './ruleRequest';
import { commandFolder } from './ruleRequest';

/** The parsed effects of a request, computed once for all rules. */
export interface RequestFacts extends ParsedCommandLine, NestedCommands, FinalCommands {
  /** The request runs a program, whatever kind the agent reports. */
  readonly runsProgram: boolean;
  /** Absolute base folders of relative words: where the command runs, and every folder that the line changes to. */
  readonly bases: readonly string[];
  /** What the arguments of a tool may run; parsed at the first call, for rules that restrict commands. */
  readonly possible: () => readonly (readonly string[])[];
}

type NamesOf = (path: string) => readonly string[];

const NOTHING: RequestFacts = {
  runsProgram: false,
  commands: [],
  redirects: [],
  bases: [],
  inner: [],
  innerSets: [],
  innerRedirects: [],
  innerGlobs: [],
  behind: [],
  finalCommands: [],
  possible: () => [],
};

/**
 * Analyzes the command of a request. A request to run an unspecified command counts as not understood.
 * @param namesOf all names of a file, including link targets
 */
export function requestFacts(request: RuleRequest, namesOf: NamesOf = (path) => [path]): RequestFacts {
  const { kind, command } = request;
  let parsed: readonly (readonly string[])[] | undefined;
  const possible = (): readonly (readonly string[])[] =>
    (parsed ??= (request.possibleCommands ?? []).flatMap(possibleCommands));
  if (command) {
    const read = readCommand(command);
    const inner = readNestedCommands(read.commands);
    const { finalCommands, unclear, outsideEffect } = readFinalCommands(read);
    const opening = openingVariable(command, { inner: inner.inner, sets: [...(read.sets ?? []), ...inner.innerSets] });
    const why = read.unread ?? (unclear === undefined ? undefined : uncheckableReason(unclear));
    const bases = basesOf(commandFolder(request) ?? '/', inner.inner, finalCommands, namesOf);
    return {
      runsProgram: true,
      ...read,
      ...inner,
      finalCommands,
      bases,
      possible,
      ...omitUndefined({
        unclear: why,
        outsideEffect: outsideEffect ?? (opening && `${opening} ${EFFECT_TEXTS.serves}`),
      }),
    };
  }
  if (kind !== 'execute') return { ...NOTHING, possible };
  const problem = t('the request does not name the command to run');
  return { ...NOTHING, possible, runsProgram: true, problem, unclear: problem };
}

/** The commands of a string that may be a line; of a text that is none, what a shell would take for commands. */
function possibleCommands(command: RuleCommand): readonly (readonly string[])[] {
  const read = readCommand(command);
  const { inner, behind } = readNestedCommands(read.commands);
  const parts = read.unread === undefined ? [] : (command.line ?? '').split(/[;&|(){}`\n]+/);
  return [...inner, ...behind, ...parts.map((part) => part.trim().split(/\s+/))];
}

/** Maximum UTF-16 units of a command that is parsed, and of its commands, redirects, variables and patterns. */
const MAX_CHARS = 100_000;
const MAX_PARTS = 1_000;
/** Maximum number of words of all commands. */
const MAX_WORDS = 10_000;

/** Reads what a command does. A longer one than a user could review is cut, and nothing but an answer allows it. */
export function readCommand(command: RuleCommand): ParsedCommandLine {
  const { argv = [], line = '' } = command;
  if (line.length + argv.reduce((sum, word) => sum + word.length + 1, 0) > MAX_CHARS)
    return withSubject(unreadLine([], t('it is longer than {0} characters', MAX_CHARS)));
  const { commands, redirects, sets = [], globs = [], ...read } = readWhole(command);
  const hasFew = [commands, redirects, sets, globs].every((parts) => parts.length <= MAX_PARTS);
  if (hasFew && commands.reduce((sum, words) => sum + words.length, 0) <= MAX_WORDS)
    return { commands, redirects, ...(sets.length > 0 && { sets }), ...(globs.length > 0 && { globs }), ...read };
  const why = uncheckableReason(t('it has too many parts'));
  let left = MAX_WORDS;
  return {
    commands: commands.slice(0, MAX_PARTS).flatMap((words) => {
      const kept = words.slice(0, left);
      left -= kept.length;
      return kept.length > 0 ? [kept] : [];
    }),
    redirects: redirects.slice(0, MAX_PARTS),
    problem: read.problem ?? why,
    unread: read.unread ?? why,
  };
}

function readWhole({ argv, line, shell }: RuleCommand): ParsedCommandLine {
  const given = argv === undefined ? undefined : lineOfShell(argv);
  const text = given?.line ?? line;
  if (text !== undefined)
    return withSubject((given?.shell ?? shell) === 'powershell' ? parsePowerShellLine(text) : parsePosixLine(text));
  if (!argv || argv.length === 0) return unreadLine([], t('the request does not name the command to run'));
  // No shell interprets these words, so that line ends in them are harmless.
  const odd = suspiciousCharacters(argv.join(' ').replace(/\r?\n/g, ' '));
  return odd === undefined ? { commands: [argv], redirects: [] } : withSubject(unreadLine([argv], odd));
}

function unreadLine(commands: ParsedCommandLine['commands'], problem: string): ParsedCommandLine {
  return { commands, redirects: [], problem, unread: problem };
}

function withSubject({ problem, unread, ...read }: ParsedCommandLine): ParsedCommandLine {
  return {
    ...read,
    ...(problem !== undefined && { problem: uncheckableReason(problem) }),
    ...(unread !== undefined && { unread: uncheckableReason(unread) }),
  };
}

function uncheckableReason(why: string): string {
  return t('rules cannot check this command: {0}', why);
}

const LINE_OPTIONS = {
  posix: /^(?:-l )?-l?c$/,
  powershell: /^(?:-(?:NoProfile|NoLogo|NonInteractive) )*-(?:Command|c)$/i,
};

/** Many agents send a line as `["bash", "-lc", line]`. Applies only to shells in system folders. */
function lineOfShell(argv: readonly string[]): { line: string; shell: 'posix' | 'powershell' } | undefined {
  const [program = ''] = argv;
  const line = argv.at(-1) ?? '';
  if (
    /[\\/]/.test(program) &&
    !/^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/run\/current-system\/sw)?\/bin\/\w+$/.test(program)
  )
    return undefined;
  const options = argv.slice(1, -1).join(' ');
  const shell = programNamed(programName(program))?.agentShell;
  const isLine = shell !== undefined && LINE_OPTIONS[shell].test(options);
  return isLine ? { line, shell } : undefined;
}

/** The shell that a command names for its line, with its options; `none` for the default one and for a program without a shell. */
export function shellOf({ argv = [] }: RuleCommand): string {
  return lineOfShell(argv) ? argv.slice(0, -1).join(' ') : NO_SHELL;
}

/** Maximum number of base folders that are checked for one line. */
const MAX_BASES = 16;
/** Maximum number of folders in a line; a line with more needs the user's decision. */
export const MAX_FOLDERS = 200;

function basesOf(
  cwd: string,
  commands: ParsedCommandLine['commands'],
  finalCommands: FinalCommands['finalCommands'],
  namesOf: NamesOf,
): readonly string[] {
  const bases = new Set([cwd]);
  const destinations = commands.map((argv) => (changesFolder(argv) ? argv.slice(1) : []));
  for (const words of [...destinations, ...finalCommands.map(({ use }) => use.folders)]) {
    for (const word of words) {
      for (const base of [...bases].slice(0, MAX_BASES)) {
        bases.add(resolveFrom(base, word));
        // After a link, ".." goes up from the link's target.
        if (word.includes('..'))
          for (const name of wordPaths(base, word).flatMap(namesOf)) bases.add(normalizePath(name));
      }
      if (bases.size > MAX_FOLDERS) return [...bases];
    }
  }
  return [...bases];
}
