import type * as Unbash from 'unbash';
import type { Command, Redirection as ParsedRedirection, SyntaxNode, Word } from 'unbash';
import type { Redirection, ShellLine } from './line';
import { oddText } from './line';

/** A file of its own (`esbuild.mjs`), read with the first command line; at once, because a decision does not wait. */
const parser = (): typeof Unbash => require('unbash') as typeof Unbash;

/**
 * Reads a command line as bash does. Understood are simple commands of plain words, in lists and pipelines, with redirections;
 * whatever depends on the moment (expansions, globs), defines something, or nests is a problem, for its effect is not in the text.
 */
export function readPosix(line: string): ShellLine {
  const text = line.trim();
  const reader = new PosixReader(oddText(text));
  try {
    reader.read(parser().parse(text));
  } catch {
    reader.note('it is nested too deeply');
  }
  // The parser finds these; should it ever miss one, nothing runs because of that.
  if (/`|\$\(/.test(text)) reader.note('it uses a command substitution');
  if (reader.commands.length === 0) reader.note('it runs no command');
  const { commands, redirects, problem } = reader;
  return { commands, redirects, ...(problem !== undefined && { problem }) };
}

/** Why a part of a line is not understood. */
const PROBLEMS: Partial<Record<SyntaxNode['type'], string>> = {
  Assignment: 'it sets a variable',
  ArrayValue: 'it sets a variable',
  Subshell: 'it runs commands in a subshell',
  BraceGroup: 'it groups commands',
  Function: 'it defines a function',
  Coproc: 'it starts a coprocess',
  If: 'it has a condition',
  Case: 'it has a condition',
  TestCommand: 'it has a condition',
  For: 'it has a loop',
  ArithmeticFor: 'it has a loop',
  While: 'it has a loop',
  Select: 'it has a loop',
  Redirected: 'it redirects a group of commands',
  ArithmeticCommand: 'it computes',
  ArithmeticExpansion: 'it computes',
  CommandExpansion: 'it uses a command substitution',
  ProcessSubstitution: 'it uses a process substitution',
  SimpleExpansion: 'it uses a variable',
  ParameterExpansion: 'it uses a variable',
  Glob: 'it uses a file pattern without quotes',
  ExtendedGlob: 'it uses a file pattern without quotes',
  BraceExpansion: 'it uses a brace expansion',
  AnsiCQuoted: "it uses $'…'",
  LocaleString: 'it uses $"…"',
  HereDoc: 'it has a here document',
  HereString: 'it has a here string',
  FileDescriptorVariable: 'it redirects in an unusual way',
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
  readonly redirects: Redirection[] = [];
  problem: string | undefined;

  constructor(problem: string | undefined) {
    this.problem = problem;
  }

  /** The first problem is the one that is told. */
  note(problem: string): void {
    this.problem ??= problem;
  }

  read(node: SyntaxNode): void {
    if (!PLAIN.has(node.type)) this.note(PROBLEMS[node.type] ?? 'it has a part that is not understood');
    if (node.type === 'Script' && 'errors' in node && node.errors?.length) this.note('it cannot be parsed');
    if (node.type === 'Command') this.#command(node);
    if (node.type === 'Word') this.#word(node);
    parser().forEachChild(node, (child) => this.read(child));
  }

  #command({ name, args, redirects }: Command): void {
    for (const redirect of redirects) this.#redirect(redirect);
    if (!name) return;
    this.commands.push([name.value, ...args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))]);
    if (args.some((arg) => arg.type !== 'Word')) this.note('it sets a variable');
  }

  #word({ text }: Word): void {
    // Not in the tree: the shell puts a home folder in place of these, zsh the path of a program in place of "=name".
    if (text.startsWith('~')) this.note('it names a home folder with ~');
    if (text.startsWith('=')) this.note('it has a word that begins with =');
  }

  #redirect(redirect: ParsedRedirection): void {
    if (redirect.type !== 'Redirect') return;
    const { operator, target } = redirect;
    const value = target?.value ?? '';
    const isNumber = (operator === '>&' || operator === '<&') && /^(\d+|-)$/.test(value);
    if (isNumber || value === '/dev/null') return;
    const writes = operator !== '<' && operator !== '<&';
    this.redirects.push({ target: value, writes, truncates: writes && operator !== '>>' && operator !== '&>>' });
  }
}
