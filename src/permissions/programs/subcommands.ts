import type { FileUse } from './fileUse';
import { useOf } from './operandUse';
import type { ReadWords } from './options';
import { readWords } from './options';
import type { Program, Subcommand } from './program';

/** Programs whose options depend on their command: `git log -p`. */

interface SubcommandWords {
  /** Options of the program itself, and its command as the first operand. */
  readonly own: ReadWords;
  /** Index of the command's name; negative without a command. */
  readonly at: number;
  /** Undefined for a command whose options are not known; it may be an alias. */
  readonly command?: Subcommand;
}

export function subcommandNamed({ subcommands = [] }: Program, name: string | undefined): Subcommand | undefined {
  return subcommands.find(({ names }) => names.split(' ').includes(name ?? ''));
}

export function readSubcommand(argv: readonly string[], program: Program): SubcommandWords {
  const own = readWords(argv, program);
  const [at = -1] = own.operands;
  const command = subcommandNamed(program, argv[at]);
  return { own, at, ...(command?.options !== undefined && { command }) };
}

export function subcommandUse(argv: readonly string[], program: Program): FileUse {
  const { own, at, command } = readSubcommand(argv, program);
  const ownUse = useOf(argv, program, { ...own, operands: [] });
  if (!command) return { ...ownUse, unknown: [...ownUse.unknown, ...own.operands] };
  const words = readWords(argv, command, at + 1);
  const use = useOf(argv, command, words);
  const operands = words.operands.map((index) => argv[index] ?? '');
  const isReadOnly = onlyInforms(command, words, operands);
  return {
    ...use,
    reads: [...use.reads, ...(isReadOnly ? use.writes : [])],
    writes: [...ownUse.writes, ...(isReadOnly ? [] : use.writes)],
    folders: ownUse.folders,
    changesUnnamedFiles:
      (use.changesUnnamedFiles && !isReadOnly) || command.changesWith?.test(operands[0] ?? '') === true,
    unknown: [...ownUse.unknown, ...use.unknown, ...(program.riskyWords?.(argv, words) ?? [])],
    named: [...ownUse.named, ...use.named],
    // Outside a repository, and for paths outside the working tree, `git diff a b` compares two folders.
    ...(command.comparesOperands &&
      operands.length === 2 && { shows: { words: operands, below: 'all' as const, isPair: true as const } }),
  };
}

/** True for uses that only show something, create a branch at this commit or unstage files. */
function onlyInforms({ onlyInforms: use }: Subcommand, { given }: ReadWords, operands: readonly string[]): boolean {
  const has = (names: string): boolean => names.split(' ').some((name) => given.has(name));
  return (
    use !== undefined &&
    (use.options === undefined || has(use.options)) &&
    (use.without === undefined || !has(use.without)) &&
    (use.operands === undefined || operands.length === use.operands) &&
    use.first?.test(operands[0] ?? '') !== false
  );
}
