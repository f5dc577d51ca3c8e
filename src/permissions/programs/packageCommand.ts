import { omitUndefined } from '../../base/json';
import { readWords } from './options';
import type { PackageRunner, Program } from './program';
import { programOf } from './programNames';
import { programNamed, runs } from './programTable';

interface PackageCommand {
  /** Words before the program that the command runs; all words if it runs none. */
  readonly own: readonly string[];
  /** The program that the command runs, with its words. */
  readonly inner?: readonly string[];
  /** The line that the command passes to a shell. */
  readonly line?: string;
  readonly unknown?: string;
  /** Such as `test`, `run`, `install`. */
  readonly verb: string;
  /** Only options follow the verb. */
  readonly hasOnlyOptions: boolean;
  /** The package that the command downloads if it is not installed; undefined for common packages, or without a download. */
  readonly fetches?: string;
}

const RUNS_NEXT = /^(?:exec|x|dlx)$/;

/** What a package runner does with its words, and which of them are another command. */
export function packageCommand(argv: readonly string[], program: Program): PackageCommand {
  const { packages = {}, options, singleDash } = program;
  const isProjectTool = runs(program, 'project');
  const end = argv.indexOf('--');
  const words = readWords(end < 0 ? argv : argv.slice(0, end), {
    ...(isProjectTool && omitUndefined({ options, singleDash })),
    ...(packages.isDirect && { optionsFirst: true }),
  });
  const [at, next] = end >= 0 && words.operands.length < 2 ? [...words.operands, end + 1] : words.operands;
  const verb = (packages.isDirect ? '' : argv[at ?? -1]) ?? '';
  const from = innerAt(argv, packages, verb, [at, next]);
  const line = words.values.find(({ kind }) => kind === 'line')?.text;
  const until = from ?? (packages.optionsBeforeVerb ? (at ?? argv.length) : argv.length);
  const isKnown = isProjectTool || packages.optionsBeforeVerb;
  const unknown = isKnown ? words.unknown.find((index) => index < until) : undefined;
  return {
    own: argv.slice(0, from ?? argv.length),
    ...(from !== undefined && { inner: argv.slice(from) }),
    ...(line !== undefined && { line }),
    ...(unknown !== undefined && { unknown: argv[unknown] ?? '' }),
    verb,
    hasOnlyOptions: words.operands.length < 2,
    ...omitUndefined({ fetches: fetchedPackage(argv, packages, verb, from) }),
  };
}

/** Packages other than the one that runs. */
const MORE_PACKAGES = /^(?:-p|--package|--from|--with|--spec)(?:=|$)/;

function fetchedPackage(
  argv: readonly string[],
  { isDirect, fetches }: PackageRunner,
  verb: string,
  from: number | undefined,
): string | undefined {
  if (from === undefined || !(isDirect || (fetches && RUNS_NEXT.test(verb)))) return undefined;
  const more = argv.slice(0, from).find((word) => MORE_PACKAGES.test(word));
  const program = argv[from] ?? '';
  // A program that is analyzed as a system program is not downloaded.
  if (more === undefined && (isCommonPackage(program) || isNoScript(program))) return undefined;
  return more ?? program;
}

/** A tool common in projects, by its package name: `prettier`, `prettier@3`. */
export function isCommonPackage(word: string): boolean {
  const name = /^((?:@[\w.-]+\/)?[\w.-]+)(?:@[\w.^~-]+)?$/.exec(word)?.[1];
  const program = name === undefined ? undefined : programNamed(name);
  return program?.isCommonPackage === true || runs(program, 'project');
}

/** A program on `PATH`, and not a script of the project. */
function isNoScript(word: string): boolean {
  const program = programOf([word]);
  return program?.isNoScript === true || runs(program, 'shellLine', 'command', 'script');
}

/** Index of the program that the command runs. */
function innerAt(
  argv: readonly string[],
  { isDirect, runsAnyProgram, verbMayBeProgram }: PackageRunner,
  verb: string,
  [at, next]: readonly (number | undefined)[],
): number | undefined {
  if (isDirect) return at;
  if (RUNS_NEXT.test(verb) || (verb === 'run' && runsAnyProgram)) return next;
  if (!verbMayBeProgram) return undefined;
  if (verb === 'run') return isNoScript(argv[next ?? -1] ?? '') ? next : undefined;
  return isNoScript(verb) ? at : undefined;
}

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

/** `cargo watch x` runs `cargo-watch x`: the verb is none of its own. `+nightly` in front of it selects a version of cargo. */
export function externalCommand(
  argv: readonly string[],
  { packages = {} }: Program,
  name: string,
  verb: string,
): readonly string[] | undefined {
  const at = argv.findIndex((word, index) => index >= argv.indexOf(verb) && !word.startsWith('+'));
  const own = argv[at] ?? '';
  if (verb === '' || packages.verbs?.test(own) !== false) return undefined;
  return [`${name}-${own}`, ...argv.slice(at + 1)];
}

/** The first word of a package runner that is code, or names input in place of a file. */
export function codeWord([, ...words]: readonly string[], { packages = {} }: Program): string | undefined {
  const { code, codeAfterRun } = packages;
  // "bun run -e x" is the same as "bun -e x".
  const [verb, option = ''] = words;
  if (verb === 'run' && codeAfterRun?.test(option)) return option;
  return words.find((word) => code?.test(word) === true);
}
