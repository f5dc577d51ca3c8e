import type { Program } from './program';

/** Verbs of package managers with permanent effects: on `package.json`, settings or the registry. */

/** Verbs of package runners that have no list of their own, which change something permanently, or send data. */
const CHANGES =
  /^(?:add|remove|get|require|publish|deploy|upload|push|login|logout|self|self-update|create-project|global|nuget|workload|update|upgrade|uninstall|source|yank|owner|config|hex\..+|archive\..+|local\..+)$/;

const INSTALLS = /^(?:install|i|ci|clean-install|ic|install-clean|it|install-test|cit|sit|install-ci-test)$/;
/** `audit fix` and `audit --fix` install other versions. */
const FIXES = /^(?:fix|--fix(?:=.*)?)$/;

/** Whether the verb changes more than the project defines: with package names also `install`. */
export function changesPackages(
  argv: readonly string[],
  { packages = {} }: Program,
  verb: string,
  /** Only options follow the verb. */
  hasOnlyOptions: boolean,
): boolean {
  const { changes = CHANGES, keeps, informs = {} } = packages;
  if (changes === 'nothing') return false;
  const words = argv.slice(argv.indexOf(verb) + 1);
  const next = words.find((word) => !word.startsWith('-')) ?? '';
  const informing = Object.hasOwn(informs, verb) ? informs[verb] : undefined;
  if (informing) return !informing.test(next) || (verb === 'pm' && next === 'cache' && words.length > 1);
  if (verb === 'audit' && words.some((word) => FIXES.test(word))) return true;
  if (!hasOnlyOptions && INSTALLS.test(verb)) return true;
  return keeps ? !keeps.test(verb) : changes.test(verb);
}

/** `yarn workspace a add x`, `pnpm recursive add x`: the command for each package, as a command of its own. */
export function commandForPackages(
  argv: readonly string[],
  { packages = {} }: Program,
  verb: string,
): readonly string[] | undefined {
  const { forPackages = {}, changes } = packages;
  const skipped = Object.hasOwn(forPackages, verb) ? forPackages[verb] : undefined;
  if (skipped === undefined) return undefined;
  const [name = ''] = argv;
  const at = argv.indexOf(verb);
  if (skipped !== 'options') return [name, ...argv.slice(at + skipped)];
  const isVerb = (word: string): boolean =>
    /^(?:run|exec)$/.test(word) || (changes instanceof RegExp && changes.test(word));
  const from = argv.findIndex((word, index) => index > at && isVerb(word));
  return from < 0 ? undefined : [name, ...argv.slice(from)];
}
