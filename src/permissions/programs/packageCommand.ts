import { omitUndefined } from '../../base/json';
import { knownProgram } from './programNames';
import { INTERPRETERS } from './knownPrograms';
import type { ProgramOptions } from './optionTable';
import { readWords } from './optionTable';
import { isCommonPackage, projectTools } from './projectTools';
import { shells, wrapperPrograms } from './wrapperPrograms';

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

const DIRECT = /^(?:npx|bunx|pnpx|uvx|pipx)$/;
/** Runners that pass options to scripts without `--`. */
const PASSES_ON = /^(?:pnpm|yarn)$/;
/** Runners of any program with many options of their own. */
const RUNS_ANY = /^(?:uv|poetry|pipenv|rye|hatch|pdm|bundle|corepack|bun|deno)$/;
const RUNS_NEXT = /^(?:exec|x|dlx)$/;
/** Further names that are programs on PATH, not scripts of the project. */
const FOUND =
  /^(?:printenv|envsubst|find|fd|awk|gawk|sed|git|xargs|sudo|eval|perl|curl|wget|ssh|scp|rsync|nc|ncat|socat|dd|concurrently|conc|nodemon|cross-env-shell|env-cmd|start-server-and-test|start-test|onchange)$/;

const NO_OPTIONS: ProgramOptions = { options: new Map(), traits: new Set() };

export function packageCommand(argv: readonly string[], name: string): PackageCommand {
  const table = projectTools.get(name) ?? NO_OPTIONS;
  const end = argv.indexOf('--');
  const words = readWords(end < 0 ? argv : argv.slice(0, end), {
    ...table,
    traits: new Set([
      ...(table.traits.has('single') ? (['single'] as const) : []),
      ...(DIRECT.test(name) ? (['stops'] as const) : []),
    ]),
  });
  const [at, next] = end >= 0 && words.operands.length < 2 ? [...words.operands, end + 1] : words.operands;
  const verb = (DIRECT.test(name) ? '' : argv[at ?? -1]) ?? '';
  const from = innerAt(argv, name, verb, [at, next]);
  const line = words.values.find(({ kind }) => kind === 'line')?.text;
  const isKnown = projectTools.has(name) || RUNS_ANY.test(name);
  const until = from ?? (PASSES_ON.test(name) || RUNS_ANY.test(name) ? (at ?? argv.length) : argv.length);
  const unknown = isKnown ? words.unknown.find((index) => index < until) : undefined;
  return {
    own: argv.slice(0, from ?? argv.length),
    ...(from !== undefined && { inner: argv.slice(from) }),
    ...(line !== undefined && { line }),
    ...(unknown !== undefined && { unknown: argv[unknown] ?? '' }),
    verb,
    hasOnlyOptions: words.operands.length < 2,
    ...omitUndefined({ fetches: fetchedPackage(argv, name, verb, from) }),
  };
}

/** Packages other than the one that runs. */
const MORE_PACKAGES = /^(?:-p|--package|--from|--with|--spec)(?:=|$)/;

function fetchedPackage(
  argv: readonly string[],
  name: string,
  verb: string,
  from: number | undefined,
): string | undefined {
  if (from === undefined || !(DIRECT.test(name) || (/^(?:npm|bun)$/.test(name) && RUNS_NEXT.test(verb))))
    return undefined;
  const more = argv.slice(0, from).find((word) => MORE_PACKAGES.test(word));
  const program = argv[from] ?? '';
  // A program that is analyzed as a system program is not downloaded.
  if (more === undefined && (isCommonPackage(program) || isProgram(knownProgram(program)))) return undefined;
  return more ?? program;
}

function isProgram(name: string): boolean {
  return shells.has(name) || wrapperPrograms.has(name) || INTERPRETERS.test(name) || FOUND.test(name);
}

/** Index of the program that the command runs. */
function innerAt(
  argv: readonly string[],
  name: string,
  verb: string,
  [at, next]: readonly (number | undefined)[],
): number | undefined {
  if (DIRECT.test(name)) return at;
  if (RUNS_NEXT.test(verb) || (verb === 'run' && RUNS_ANY.test(name) && name !== 'bun' && name !== 'deno')) return next;
  if (!PASSES_ON.test(name) && name !== 'bun') return undefined;
  if (verb === 'run') return isProgram(knownProgram(argv[next ?? -1] ?? '')) ? next : undefined;
  return isProgram(knownProgram(verb)) ? at : undefined;
}
