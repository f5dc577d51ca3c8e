import type * as Unbash from 'unbash';
import type { Assignment, Command, Redirection as ParsedRedirection, SyntaxNode, Word } from 'unbash';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Redirection, ParsedCommandLine } from './shellLine';
import { suspiciousCharacters } from './shellLine';
import { globWord, isListed, meaningsOf } from './shellWords';

/**
 * A separate chunk (`esbuild.mjs`), loaded with the first command line; synchronous, because decisions are
 * synchronous.
 */
const parser = (): typeof Unbash => require('unbash') as typeof Unbash;

/** Maximum number of starts of substitutions: the parser reads each to the end of the line. */
const MAX_SUBSTITUTIONS = 1_000;

/**
 * Parses a command line as bash does. Supports simple commands of plain words in lists and pipelines, with
 * redirections. Expansions, globs, definitions and nested constructs are problems, because their effect is not in the
 * text.
 */
export function parsePosixLine(line: string): ParsedCommandLine {
  const text = withoutBlanks(line);
  const reader = new PosixReader(suspiciousCharacters(text));
  try {
    if ((text.match(/`|[$<>][({]/g)?.length ?? 0) > MAX_SUBSTITUTIONS) throw new RangeError('too deep');
    reader.read(parser().parse(text));
  } catch {
    reader.recordProblem(t('it is nested too deeply'));
  }
  // Defense in depth, should the parser miss a substitution.
  if (/`|\$\(/.test(text)) reader.recordProblem(t('it uses a command substitution'));
  if (reader.commands.length === 0) reader.recordProblem(t('it runs no command'));
  return reader.result;
}

/** Without blanks and line ends around, as far as they are no part of a word. */
function withoutBlanks(line: string): string {
  const text = line.trim();
  const from = line.indexOf(text);
  const around = line.slice(0, from) + line.slice(from + text.length);
  return /[^ \t\r\n]/.test(around) || text.endsWith('\\') ? line : text;
}

/** Why a part of a line is not understood. */
const PROBLEMS: Partial<Record<SyntaxNode['type'], string>> = {
  Assignment: t('it sets a variable'),
  ArrayValue: t('it sets a variable'),
  Subshell: t('it runs commands in a subshell'),
  BraceGroup: t('it groups commands'),
  Function: t('it defines a function'),
  Coproc: t('it starts a coprocess'),
  If: t('it has a condition'),
  Case: t('it has a condition'),
  TestCommand: t('it has a condition'),
  For: t('it has a loop'),
  ArithmeticFor: t('it has a loop'),
  While: t('it has a loop'),
  Select: t('it has a loop'),
  Redirected: t('it redirects a group of commands'),
  ArithmeticCommand: t('it uses arithmetic'),
  ArithmeticExpansion: t('it uses arithmetic'),
  CommandExpansion: t('it uses a command substitution'),
  ProcessSubstitution: t('it uses a process substitution'),
  SimpleExpansion: t('it uses a variable'),
  ParameterExpansion: t('it uses a variable'),
  Glob: t('it uses an unquoted file pattern'),
  ExtendedGlob: t('it uses an unquoted file pattern'),
  BraceExpansion: t('it uses a brace expansion'),
  AnsiCQuoted: t("it uses $'…'"),
  LocaleString: t('it uses $"…"'),
  HereDoc: t('it has a here document'),
  HereString: t('it has a here string'),
  FileDescriptorVariable: t('it uses an unusual redirection'),
};

const PLAIN: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'Pipeline',
  'Time',
  'Negation',
  'AndOr',
  'Command',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  'Redirect',
  'FileDescriptor',
]);

class PosixReader {
  readonly commands: string[][] = [];
  readonly #redirects: Redirection[] = [];
  readonly #sets: (readonly [string, string])[] = [];
  readonly #globs = new Set<string>();
  #unread: string | undefined;
  #problem: string | undefined;

  constructor(problem: string | undefined) {
    if (problem !== undefined) this.recordProblem(problem);
  }

  get result(): ParsedCommandLine {
    return {
      commands: this.commands,
      redirects: this.#redirects,
      ...(this.#sets.length > 0 && { sets: this.#sets }),
      ...(this.#globs.size > 0 && { globs: [...this.#globs] }),
      ...omitUndefined({ problem: this.#problem, unread: this.#unread }),
    };
  }

  /** Only the first problem is reported. */
  recordProblem(problem: string): void {
    this.#problem ??= problem;
    this.#unread ??= problem;
  }

  read(node: SyntaxNode): void {
    if (!PLAIN.has(node.type)) this.#odd(node);
    if (node.type === 'Script' && 'errors' in node && node.errors?.length) this.recordProblem(t('it cannot be parsed'));
    if (node.type === 'Command') this.#command(node);
    if (node.type === 'Word') {
      this.#word(node);
      // The matches of the pattern can be looked up on disk.
      if (globWord(node) !== undefined && isListed(node)) {
        this.#problem ??= PROBLEMS.Glob;
        return;
      }
    }
    if (node.type === 'Assignment') this.#assignment(node);
    parser().forEachChild(node, (child) => this.read(child));
  }

  #odd(node: SyntaxNode): void {
    const problem = PROBLEMS[node.type] ?? t('it contains unsupported syntax');
    // The parts of its value are read like any other word.
    if (node.type === 'Assignment') this.#problem ??= problem;
    else this.recordProblem(problem);
  }

  #command({ name, args, redirects }: Command): void {
    for (const redirect of redirects) this.#redirect(redirect);
    if (!name) return;
    const words = [name, ...args].flatMap((arg) => (arg.type === 'Word' ? meaningsOf(arg, this.#sets) : [arg.text]));
    this.commands.push(words);
    if (args.some((arg) => arg.type !== 'Word')) this.recordProblem(t('it sets a variable'));
  }

  #assignment({ name, value, text }: Assignment): void {
    this.#sets.push([name, value.type === 'Word' ? value.value : text]);
  }

  #word(word: Word): void {
    const { text } = word;
    // Not in the tree: the shell expands these to a home folder, zsh "=name" to the path of a program.
    if (text.startsWith('~')) this.recordProblem(t('~ stands for a home folder'));
    if (text.startsWith('=')) this.recordProblem(t('it has a word that begins with ='));
    const glob = globWord(word);
    if (glob !== undefined) this.#globs.add(glob);
  }

  #redirect(redirect: ParsedRedirection): void {
    if (redirect.type !== 'Redirect') return;
    const { operator, target } = redirect;
    const value = target?.value ?? '';
    if (target && globWord(target) !== undefined) this.recordProblem(t('it uses an unquoted file pattern'));
    const isNumber = (operator === '>&' || operator === '<&') && /^(\d+|-)$/.test(value);
    // "2>&-x" closes 2, and "x" is a word of the command.
    if (/^[<>]&$/.test(operator) && /^-./s.test(value)) this.recordProblem(t('it uses an unusual redirection'));
    if (isNumber || value === '/dev/null') return;
    const isWrite = operator !== '<' && operator !== '<&';
    this.#redirects.push({ target: value, isWrite, truncates: isWrite && operator !== '>>' && operator !== '&>>' });
  }
}
