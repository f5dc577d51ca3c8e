import { innerCommands, programName } from './programs';
import type { ShellLine } from './shell/line';
import { readPosix } from './shell/posix';

/** Shells within shells are looked into so many times. */
const MAX_DEPTH = 4;

type Commands = ShellLine['commands'];

/** The commands, with those that they run in turn as far as that can be seen: `sudo rm`, `sh -c "rm x"`. For what forbids and warns. */
export function innermostCommands(commands: Commands, depth = 0): Commands {
  return commands.flatMap(innerCommands).flatMap((argv) => {
    const inner = depth < MAX_DEPTH ? textsOf(argv).flatMap((text) => readPosix(text).commands) : [];
    return [argv, ...innermostCommands(inner, depth + 1)];
  });
}

/** Why what a shell within the line would run cannot be told; undefined when there is no such shell, or it can. */
export function innerProblem(commands: Commands): string | undefined {
  const texts = innermostCommands(commands).flatMap(textsOf);
  const problem = texts.map((text) => readPosix(text).problem).find((found) => found !== undefined);
  return problem && `a shell within the command cannot be checked by rules: ${problem}`;
}

/** The lines that a command hands to a shell. */
function textsOf(argv: readonly string[]): readonly string[] {
  const name = programName(argv[0] ?? '');
  if (name === 'eval') return [argv.slice(1).join(' ')];
  if (!/^(?:sh|bash|zsh|dash|ash|ksh|fish)$/.test(name)) return [];
  const at = argv.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/i.test(word));
  const text = argv[at + 1];
  return at > 0 && text !== undefined ? [text] : [];
}
