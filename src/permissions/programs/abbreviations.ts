import type { Program } from './program';
import { programName } from './programNames';
import { programNamed } from './programTable';

/** Some programs complete the start of a verb: `npm publ` publishes, `gem inst x` installs. */

type Abbreviations = NonNullable<Program['abbreviates']>;

/** The command with the whole name of its verb. */
export function withWholeVerb(argv: readonly string[]): readonly string[] {
  const abbreviates = programNamed(programName(argv[0] ?? ''))?.abbreviates;
  if (!abbreviates) return argv;
  if (abbreviates.isCamelCase) return argv.map((word, index) => (index > 0 && wholeTask(word, abbreviates)) || word);
  const at = verbPlaces(argv).find((index) => wholeVerb(abbreviates, argv[index] ?? '') !== undefined);
  return at === undefined ? argv : argv.with(at, wholeVerb(abbreviates, argv[at] ?? '') ?? '');
}

/** The first operand, and the second one if the first may be the value of an option. */
function verbPlaces(argv: readonly string[]): readonly number[] {
  const operands = argv.flatMap((word, index) => (index > 0 && !word.startsWith('-') ? index : []));
  const [first = 0] = operands;
  return operands.slice(0, /^-[^=]*$/.test(argv[first - 1] ?? '') ? 2 : 1);
}

/** npm also reads `distTag` as `dist-tag`. */
function wholeVerb({ verbs, except = '' }: Abbreviations, word: string): string | undefined {
  if (word === '' || except.split(' ').includes(word)) return undefined;
  const start = word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return verbs.split(' ').find((verb) => verb.startsWith(start));
}

/** Gradle completes each word of a task: `pTMC` is `publishToMavenCentral`. */
function wholeTask(word: string, { verbs }: Abbreviations): string | undefined {
  const [, path = '', start = '', more = ''] = /^(.*:)?([a-z]+)(\w*)$/.exec(word) ?? [];
  const verb = verbs.split(' ').find((each) => each.startsWith(start) && (start.length > 2 || /^[A-Z]/.test(more)));
  return verb === undefined ? undefined : `${path}${verb}${more}`;
}
