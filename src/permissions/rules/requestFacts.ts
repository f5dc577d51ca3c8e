import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { InnerCommands } from './nestedCommands';
import { readInner } from './nestedCommands';
import type { Leaves } from './leaves';
import { readLeaves } from './leaves';
import { pathFrom } from './rulePaths';
import { programName } from './programNames';
import { changesFolder } from './knownPrograms';
import type { RuleCommand, RuleRequest } from './ruleRequest';
import type { ShellLine } from '../shell/shellLine';
import { oddText } from '../shell/shellLine';
import { readPosix } from '../shell/posixShell';
import { readPowerShell } from '../shell/powerShell';

/** What a request would do, read once for all rules. */
export interface Facts extends ShellLine, InnerCommands, Leaves {
  /** It runs something, whatever kind the agent calls it. */
  readonly runs: boolean;
  /** Where relative words may be meant from: where the command runs, and every folder that the line goes to. Absolute. */
  readonly bases: readonly string[];
}

const NOTHING: Facts = {
  runs: false,
  commands: [],
  redirects: [],
  bases: [],
  inner: [],
  innerSets: [],
  innerRedirects: [],
  innerGlobs: [],
  behind: [],
  leaves: [],
};

/** Reads the command of a request. What runs something without saying what is not understood. */
export function factsOf({ kind, command, folders }: RuleRequest): Facts {
  if (command) {
    const read = readCommand(command);
    const inner = readInner(read.commands);
    const { leaves, unclear, beyond } = readLeaves(read);
    const why = read.unread ?? (unclear === undefined ? undefined : uncheckable(unclear));
    const bases = basesOf(command.cwd ?? folders[0] ?? '/', inner.inner, leaves);
    return { runs: true, ...read, ...inner, leaves, bases, ...omitUndefined({ unclear: why, beyond }) };
  }
  if (kind !== 'execute') return NOTHING;
  const problem = t('the request does not say what it would run');
  return { ...NOTHING, runs: true, problem, unclear: problem };
}

/** The simple commands that a command comes down to. */
export function readCommand({ argv, line, shell }: RuleCommand): ShellLine {
  const given = argv === undefined ? undefined : lineOfShell(argv);
  const text = given?.line ?? line;
  if (text !== undefined)
    return withSubject((given?.shell ?? shell) === 'powershell' ? readPowerShell(text) : readPosix(text));
  if (!argv || argv.length === 0) return unreadLine([], t('the request does not say what it would run'));
  // No shell looks at these words, so that line ends in them are only line ends.
  const odd = oddText(argv.join(' ').replace(/\r?\n/g, ' '));
  return odd === undefined ? { commands: [argv], redirects: [] } : withSubject(unreadLine([argv], odd));
}

function unreadLine(commands: ShellLine['commands'], problem: string): ShellLine {
  return { commands, redirects: [], problem, unread: problem };
}

function withSubject({ problem, unread, ...read }: ShellLine): ShellLine {
  return {
    ...read,
    ...(problem !== undefined && { problem: uncheckable(problem) }),
    ...(unread !== undefined && { unread: uncheckable(unread) }),
  };
}

function uncheckable(why: string): string {
  return t('the command cannot be checked by rules: {0}', why);
}

/** Many agents hand over a line as `["bash", "-lc", line]`. Only shells from where systems keep them are meant. */
function lineOfShell(argv: readonly string[]): { line: string; shell: 'posix' | 'powershell' } | undefined {
  const [program = ''] = argv;
  const line = argv.at(-1) ?? '';
  if (
    /[\\/]/.test(program) &&
    !/^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/run\/current-system\/sw)?\/bin\/\w+$/.test(program)
  )
    return undefined;
  const options = argv.slice(1, -1).join(' ');
  const name = programName(program);
  if (/^(?:sh|bash|zsh|dash|ksh)$/.test(name) && /^(?:-l )?-l?c$/.test(options)) return { line, shell: 'posix' };
  const isPowerShell =
    /^(?:pwsh|powershell)$/.test(name) && /^(?:-(?:NoProfile|NoLogo|NonInteractive) )*-(?:Command|c)$/i.test(options);
  return isPowerShell ? { line, shell: 'powershell' } : undefined;
}

/** A line that goes to more folders than this is still checked from so many. */
const MAX_BASES = 16;
/** Folders that a line may go to in all; what names more is asked about. */
export const MAX_FOLDERS = 200;

function basesOf(cwd: string, commands: ShellLine['commands'], leaves: Leaves['leaves']): readonly string[] {
  const bases = new Set([cwd]);
  const gone = commands.map((argv) => (changesFolder(argv) ? argv.slice(1) : []));
  for (const words of [...gone, ...leaves.map(({ use }) => use.folders)]) {
    for (const word of words) {
      for (const base of [...bases].slice(0, MAX_BASES)) bases.add(pathFrom(base, word));
      if (bases.size > MAX_FOLDERS) return [...bases];
    }
  }
  return [...bases];
}
