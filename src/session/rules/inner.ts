import { t } from '../../base/l10n';
import { innerCommands, programName } from './programs';
import type { ShellLine } from './shell/line';
import { readPosix } from './shell/posix';

/** Commands within commands are looked for so long; nobody writes more in earnest. */
const MAX_COMMANDS = 200;
/** UTF-16 units of lines within the command that are read in all. */
const MAX_TEXT = 40_000;
const TOO_MANY = t('it runs too many commands within commands');

type Commands = ShellLine['commands'];

/** The commands of a request with all those that they run in turn. */
export interface InnerCommands {
  /** As far as they can be seen: `sudo rm`, `sh -c "rm x"`. */
  readonly inner: Commands;
  /** Why what a shell within the command would run cannot be told. */
  readonly innerProblem?: string;
  /** Variables that are set in lines within the command. */
  readonly innerSets: NonNullable<ShellLine['sets']>;
}

/** Looks into what commands run in turn. For what forbids and warns, which must not be got around by a `sudo` in front. */
export function readInner(commands: Commands): InnerCommands {
  const inner: (readonly string[])[] = [];
  const left = [...commands];
  let problem: string | undefined;
  let budget = MAX_TEXT;
  const innerSets: (readonly [string, string])[] = [];
  for (let argv = left.shift(); argv; argv = left.shift()) {
    for (const each of innerCommands(argv)) {
      if (inner.length >= MAX_COMMANDS) return { inner, innerSets, innerProblem: TOO_MANY };
      inner.push(each);
      const text = shellText(each);
      budget -= text?.length ?? 0;
      if (budget < 0) return { inner, innerSets, innerProblem: TOO_MANY };
      const read = text === undefined ? undefined : readPosix(text);
      if (read) left.push(...read.commands);
      innerSets.push(...(read?.sets ?? []));
      problem ??= read?.problem;
    }
  }
  return { inner, innerSets, ...(problem !== undefined && { innerProblem: problem }) };
}

/** The line that a command hands to a shell. */
function shellText(argv: readonly string[]): string | undefined {
  const name = programName(argv[0] ?? '');
  if (name === 'eval') return argv.slice(1).join(' ');
  if (!/^(?:sh|bash|zsh|dash|ash|ksh|fish)$/.test(name)) return undefined;
  const at = argv.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/i.test(word));
  return at > 0 ? argv[at + 1] : undefined;
}
