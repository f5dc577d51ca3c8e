import type { FileUse } from './fileUse';
import { useOf } from './operandUse';
import type { ReadWords } from './options';
import { readWords } from './options';
import type { OutsideEffect, Subcommand } from './program';
import { GIT_COMMANDS, GIT_OPTIONS } from './gitCommands';

/** What the words of git do: its commands stand in `gitCommands.ts`. */

const commands: ReadonlyMap<string, Subcommand> = new Map(
  GIT_COMMANDS.flatMap((command) => command.names.split(' ').map((name) => [name, command] as const)),
);

interface GitWords {
  /** Options of git itself, and its command as the first operand. */
  readonly own: ReadWords;
  /** Index of the command's name; negative without a command. */
  readonly at: number;
  /** Undefined for an unknown command, which may be an alias. */
  readonly command?: Subcommand;
}

export function readGit(argv: readonly string[]): GitWords {
  const own = readWords(argv, GIT_OPTIONS);
  const [at = -1] = own.operands;
  const command = commands.get(argv[at] ?? '');
  return { own, at, ...(command?.options !== undefined && { command }) };
}

export function gitUse(argv: readonly string[]): FileUse {
  const { own, at, command } = readGit(argv);
  const ownUse = useOf(argv, GIT_OPTIONS, { ...own, operands: [] });
  if (!command) return { ...ownUse, unknown: [...ownUse.unknown, ...own.operands] };
  const words = readWords(argv, command, at + 1);
  const use = useOf(argv, command, words);
  const operands = words.operands.map((index) => argv[index] ?? '');
  const isReadOnly = onlyInforms(command, words, operands);
  // "ext::sh -c …" is a program in place of a URL.
  const programs = words.operands.filter((index) => /^\w+::/.test(argv[index] ?? ''));
  return {
    ...use,
    reads: [...use.reads, ...(isReadOnly ? use.writes : [])],
    writes: [...ownUse.writes, ...(isReadOnly ? [] : use.writes)],
    folders: ownUse.folders,
    changesUnnamedFiles:
      (use.changesUnnamedFiles && !isReadOnly) || command.changesWith?.test(operands[0] ?? '') === true,
    unknown: [...ownUse.unknown, ...use.unknown, ...programs],
    named: [...ownUse.named, ...use.named],
    // Outside a repository, and for paths outside the working tree, `git diff a b` compares two folders.
    ...(command.comparesOperands &&
      operands.length === 2 && { shows: { words: operands, below: 'all' as const, isPair: true as const } }),
  };
}

/** True for the uses that only show something, create a branch at this commit or unstage files. */
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

/** Verbs of git that send something; `annex` and the like are programs beside it. */
const SENDS =
  /^(?:push|send-pack|send-email|http-push|svn dcommit|p4 submit|(?:lfs|subtree|annex|stash-box) push|annex (?:sync|copy))$/;
/** Verbs of git that print the addresses of other repositories, or all settings: with passwords. */
const SHOWS_URLS =
  /^(?:remote(?: (?:show|get-url))?|config (?:list|get|-l|--list|--get-regexp)|var -l|ls-remote --get-url|ls-remote|credential .*|credential-\S+ get)$/;

export function gitEffect(argv: readonly string[]): { words: string; why: OutsideEffect } | undefined {
  const { at } = readGit(argv);
  const [verb = '', ...rest] = at < 0 ? [] : argv.slice(at);
  const first = rest.find((word) => !word.startsWith('-')) ?? '';
  const sent = [verb, `${verb} ${first}`, `${verb} ${rest[0] ?? ''}`].find((use) => SENDS.test(use));
  if (sent !== undefined) return { words: sent, why: 'sends' };
  // "git remote" alone lists names.
  if (verb === 'remote' && rest.length === 0) return undefined;
  const shown = [`${verb} ${first}`.trim(), ...rest.map((word) => `${verb} ${word}`)].find((use) =>
    SHOWS_URLS.test(use),
  );
  return shown === undefined ? undefined : { words: shown, why: 'showsSecrets' };
}
