import { t } from '../../base/l10n';
import { endsBehind, nestedCommands, innerTexts, runsWords } from '../programs/commandWords';
import { plainName, programName } from '../programs/programNames';
import { programNamed, runs } from '../programs/programTable';
import { parsePosixLine } from '../shell/posixShell';
import type { ParsedCommandLine } from '../shell/shellLine';

/** Maximum number of nested commands; real command lines have fewer. */
const MAX_COMMANDS = 200;
/** UTF-16 units of all nested lines. */
const MAX_TEXT = 40_000;
/**
 * UTF-16 units of all nested commands: in `find . -exec find . -exec …` each word starts a nested command that is
 * nearly as long as the line.
 */
const MAX_COMMAND_TEXT = 400_000;
const TOO_MANY = t('it contains too many nested commands');

type Commands = ParsedCommandLine['commands'];

/** The commands of a request with all those they run. */
export interface NestedCommands {
  /** As far as visible: `sudo rm`, `sh -c "rm x"`. */
  readonly inner: Commands;
  /** Why the commands of a nested shell are unknown. */
  readonly innerProblem?: string;
  /** Variables set in nested lines. */
  readonly innerSets: NonNullable<ParsedCommandLine['sets']>;
  /** Redirects of nested shells. */
  readonly innerRedirects: ParsedCommandLine['redirects'];
  /** Globs among the words of all commands. */
  readonly innerGlobs: readonly string[];
  /** Commands that unknown programs may run: for rules that restrict. */
  readonly behind: Commands;
}

/** Finds the commands that commands run. For deny rules and warnings, which a leading `sudo` must not bypass. */
export function readNestedCommands(commands: Commands): NestedCommands {
  const reader = readerOf(commands);
  const { inner, innerSets, innerRedirects, innerGlobs } = reader;
  const later = readerOf(commandsBehind(inner));
  const problem = reader.problem ?? later.problem;
  return {
    inner,
    innerSets,
    innerRedirects,
    innerGlobs,
    behind: later.inner,
    ...(problem !== undefined && { innerProblem: problem }),
  };
}

/** One command more than the reader accepts, so that the reader reports the problem. */
function commandsBehind(inner: Commands): Commands {
  const found: (readonly string[])[] = [];
  for (const argv of inner) {
    if (found.length > MAX_COMMANDS) break;
    found.push(...endsBehind(argv, MAX_COMMANDS + 1 - found.length));
  }
  return found;
}

function readerOf(commands: Commands): InnerReader {
  const reader = new InnerReader();
  reader.read(commands);
  return reader;
}

class InnerReader {
  readonly inner: (readonly string[])[] = [];
  readonly innerSets: (readonly [string, string])[] = [];
  readonly innerRedirects: ParsedCommandLine['redirects'][number][] = [];
  readonly innerGlobs: string[] = [];
  problem: string | undefined;
  readonly #texts = new Set<string>();
  readonly #left: (readonly string[])[] = [];
  #budget = MAX_TEXT;
  #commandBudget = MAX_COMMAND_TEXT;

  read(commands: Commands): void {
    for (const command of commands) this.#left.push(command);
    for (let argv = this.#left.shift(); argv; argv = this.#left.shift()) {
      for (const [index, each] of nestedCommands(argv, MAX_COMMANDS + 1).entries()) {
        this.#commandBudget -= each.reduce((sum, word) => sum + word.length, 0);
        if (this.inner.length >= MAX_COMMANDS || this.#budget < 0 || this.#commandBudget < 0) {
          this.problem = TOO_MANY;
          return;
        }
        this.inner.push(each);
        this.#line(shellText(each));
        // The words of a suffix are among those of the whole.
        if (index === 0 || !runsWords(each)) for (const text of innerTexts(each)) this.#readInner(text);
      }
    }
  }

  #line(text: string | undefined): void {
    const read = text === undefined ? undefined : this.#readInner(text);
    this.problem ??= read?.problem;
    this.innerSets.push(...(read?.sets ?? []));
    this.innerRedirects.push(...(read?.redirects ?? []));
  }

  #readInner(text: string): ParsedCommandLine | undefined {
    if (this.#texts.has(text)) return undefined;
    this.#texts.add(text);
    this.#budget -= text.length;
    if (this.#budget < 0) return undefined;
    const read = parsePosixLine(text);
    this.#left.push(...read.commands);
    this.innerGlobs.push(...(read.globs ?? []));
    return read;
  }
}

/** The line that a command passes to a shell. */
function shellText(argv: readonly string[]): string | undefined {
  const program = programNamed(plainName(programName(argv[0] ?? '')));
  if (program?.wordsAreLine) return argv.slice(1).join(' ');
  if (!program?.takesLine && !runs(program, 'shellLine')) return undefined;
  const at = argv.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/i.test(word));
  // Further options may precede the line after "-c".
  return at > 0 ? argv.slice(at + 1).find((word) => !/^[-+]/.test(word)) : undefined;
}
