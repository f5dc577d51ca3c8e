import { programName } from '../programs/programNames';

/**
 * Programs that complete the start of a command name, with their commands that matter to the rules. `npm publ` publishes,
 * `gem inst x` installs.
 */
const COMPLETED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    npm: `publish unpublish exec install uninstall update link init config set pkg access owner profile token team org
      deprecate undeprecate dist-tag star unstar adduser login logout edit explore stage trust approve-scripts`,
    hg: 'push email serve paths config showconfig archive bundle update rebase strip import',
    gem: 'install uninstall update push yank owner signin signout exec sources cleanup pristine',
    bundle: 'exec update add remove config console open plugin',
    composer: 'exec global require remove update create-project config',
    gradle: 'publish deploy properties jib',
  }).map(([program, verbs]) => [program, verbs.split(/\s+/)]),
);
/** Other names of commands, which are complete. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  npm: ['t', 's', 'se', 'start'],
  hg: ['st', 'co'],
};
const ALSO: Readonly<Record<string, string>> = { chg: 'hg', gradlew: 'gradle' };

/** The command with the whole name of its verb. */
export function withWholeVerb(argv: readonly string[]): readonly string[] {
  const name = programName(argv[0] ?? '');
  const program = ALSO[name] ?? name;
  const verbs = COMPLETED[program];
  if (!verbs) return argv;
  if (program === 'gradle') return argv.map((word, index) => (index > 0 && gradleTask(word, verbs)) || word);
  const at = verbPlaces(argv).find((index) => wholeVerb(program, verbs, argv[index] ?? '') !== undefined);
  return at === undefined ? argv : argv.with(at, wholeVerb(program, verbs, argv[at] ?? '') ?? '');
}

/** The first operand, and the second one if the first may be the value of an option. */
function verbPlaces(argv: readonly string[]): readonly number[] {
  const operands = argv.flatMap((word, index) => (index > 0 && !word.startsWith('-') ? index : []));
  const [first = 0] = operands;
  return operands.slice(0, /^-[^=]*$/.test(argv[first - 1] ?? '') ? 2 : 1);
}

/** npm also reads `distTag` as `dist-tag`. */
function wholeVerb(program: string, verbs: readonly string[], word: string): string | undefined {
  if (ALIASES[program]?.includes(word)) return undefined;
  const start = word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return word === '' ? undefined : verbs.find((verb) => verb.startsWith(start));
}

/** Gradle completes each word of a task: `pTMC` is `publishToMavenCentral`. */
function gradleTask(word: string, verbs: readonly string[]): string | undefined {
  const [, path = '', start = '', more = ''] = /^(.*:)?([a-z]+)(\w*)$/.exec(word) ?? [];
  const verb = verbs.find((each) => each.startsWith(start) && (start.length > 2 || /^[A-Z]/.test(more)));
  return verb === undefined ? undefined : `${path}${verb}${more}`;
}
