import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OptionKind, OptionSyntax } from '../../../src/permissions/programs/options';
import { optionKinds } from '../../../src/permissions/programs/options';
import { EFFECT_TEXTS } from '../../../src/permissions/programs/outsideEffects';
import type { Program, Runs, Subcommand } from '../../../src/permissions/programs/program';
import { PROGRAMS } from '../../../src/permissions/programs/programTable';

/** The list of programs in docs/permissions.md, from the table in src/permissions/programs. */

export const PAGE = 'docs/permissions.md';
const BEGIN = '<!-- begin: npm run docs:permissions -->';
const END = '<!-- end -->';

const RUNS: Readonly<Record<Runs, string>> = {
  shellLine: 'runs a shell line or a script',
  command: 'runs the command behind its own words',
  script: 'runs a script',
  sourcedScript: 'runs a script in the same shell',
  packages: 'runs scripts and packages of a project',
  targets: 'runs targets of a build file',
  project: 'runs code of the project',
  hidden: 'runs something that its words do not show',
};
const OPERANDS: Readonly<Record<NonNullable<Program['operands']>, string>> = {
  read: 'reads files',
  write: 'writes files',
  text: 'uses no files',
  copy: 'copies, moves or links files',
  inOut: 'reads the first file and writes the others',
};
const FOLDERS: Readonly<Record<NonNullable<Program['folders']>, string>> = {
  prints: 'prints files of folders',
  printsHere: 'prints files of folders, also of the working folder',
  deletes: 'deletes folders',
  checks: 'checks folders without printing them',
};
const VARIABLES = {
  always: 'prints variables',
  withoutCommand: 'prints variables without a command',
  withoutWords: 'prints variables without words',
};

type Facts = Omit<Program & Subcommand, 'names' | keyof OptionSyntax>;
/** The words for each field; empty for what only says how words are read. */
type Words = { readonly [Name in keyof Required<Facts>]: (value: NonNullable<Facts[Name]>) => string };

const WORDS: Words = {
  matches: (pattern) => `also names such as \`${pattern.source.replaceAll('|', '\\|')}\``,
  hasVersions: () => 'also with a version in the name',
  projectWrapper: (name) => `also \`./${name}\``,
  runs: (runs) => runs.map((each) => RUNS[each]).join(', '),
  operandsBefore: () => '',
  printsWith: () => '',
  needsNoScriptWith: () => '',
  onlyPrints: () => 'some uses only print',
  agentShell: () => '',
  takesLine: () => 'the line after `-c` is read for rules that deny',
  wordsAreLine: () => 'its words are read for rules that deny',
  script: () => 'harmless scripts in its words are understood',
  packages: () => '',
  runsRecipes: () => 'runs recipes of the project',
  everyWord: () => 'rules must name every word',
  mayRunWords: () => '',
  startsCommand: (starts) => (starts ? 'is found behind other programs' : ''),
  isNoScript: () => '',
  isCommonPackage: () => 'may be downloaded by package runners',
  isPythonModule: () => 'may be run by `python -m`',
  operands: (operands) => OPERANDS[operands],
  recursive: () => 'with everything below folders',
  compares: () => 'compares folders',
  comparesOperands: () => 'compares two folders',
  changesOtherFiles: () => 'may change files that it does not name',
  subcommands: () => '',
  onlyInforms: () => 'some uses only inform',
  changesWith: () => 'some verbs change files',
  changesFilesVerb: () => 'some verbs change the working copy',
  changesFilesWord: () => 'some words change files of the project',
  folders: (folders) => FOLDERS[folders],
  printsUnless: () => 'prints files without an option such as `--check`',
  changesFolder: () => 'changes the folder',
  moves: () => 'moves files',
  keepsLinksWith: () => '',
  makesLinks: () => 'makes links',
  listsWith: (options) => (options === '' ? '' : 'lists archives; other uses may change files that it does not name'),
  needsNoDash: () => '',
  setsVariables: () => 'may set variables',
  printsVariables: (when) => (typeof when === 'string' ? VARIABLES[when] : 'prints variables with some options'),
  abbreviates: () => 'completes the start of a verb',
  isVersionControl: () => 'version control',
  everyOperandIsTask: () => 'each word is a task',
  publishVerbs: () => `\`publish\` ${EFFECT_TEXTS.publishes}`,
  localVerb: (verb) => `\`${verb}\` writes into the project`,
  effects: (effects) =>
    [...new Set(effects.map(({ why, words }) => `${EFFECT_TEXTS[why]}${words ? ' (some uses)' : ''}`))].join(', '),
  publishes: () => EFFECT_TEXTS.publishes,
  servesFiles: () => EFFECT_TEXTS.serves,
  serveVerbs: () => `some verbs: ${EFFECT_TEXTS.serves}`,
  servesOwnPages: () => 'serves the project’s pages to this machine',
  irreversible: (uses) => `warning: ${[...new Set(uses.map(({ why }) => why))].join(', ')}`,
  riskyWords: () => 'some words ask',
  effectOf: () => 'some uses have effects outside the workspace',
};

/** What a record says, in the order of its fields. */
export function knownFacts(record: Program | Subcommand): string {
  const texts = Object.entries(record).flatMap(([name, value]) => {
    const words = WORDS[name as keyof Facts] as ((value: unknown) => string) | undefined;
    return words && value !== undefined && value !== false ? [words(value)] : [];
  });
  if (record.anyOptions) texts.push('any options');
  return texts.filter((text) => text !== '').join('; ');
}

const VALUES: Readonly<Partial<Record<OptionKind, string>>> = {
  read: 'FILE',
  write: 'OUTPUT',
  folder: 'FOLDER',
  line: 'LINE',
  filter: 'NAMES',
  last: 'NAME',
  value: 'X',
  optional: 'X',
};

/** `-abc -n X --lines=X`. */
export function knownOptions(syntax: OptionSyntax): string {
  const kinds = [...optionKinds(syntax)].filter(([name, kind]) => kind !== 'flag' || !/^(?:help|version)$/.test(name));
  const isLetter = ([name, kind]: readonly [string, OptionKind]): boolean =>
    name.length === 1 && !VALUES[kind] && !syntax.singleDash;
  const letters = kinds.filter(isLetter).map(([name]) => (name === '#' ? '' : name));
  const others = kinds
    .filter((each) => !isLetter(each))
    .map(([name, kind]) => {
      const isLong = name.length > 1 && !syntax.singleDash;
      const value = VALUES[kind];
      if (value === undefined) return `${isLong ? '--' : '-'}${name}`;
      if (kind === 'optional') return isLong ? `--${name}[=${value}]` : `-${name}[${value}]`;
      return isLong ? `--${name}=${value}` : `-${name} ${value}`;
    });
  const number = kinds.some(([name]) => name === '#') ? ['-5'] : [];
  const flags = letters.join('') === '' ? [] : [`-${letters.join('')}`];
  const all = [...number, ...flags, ...others].join(' ');
  return all === '' ? '' : `\`${all}\``;
}

function row(record: Program | Subcommand, before = ''): string {
  const names = record.names.split(' ').map((name) => `\`${before}${name}\``);
  return `| ${names.join(', ')} | ${knownFacts(record)} | ${knownOptions(record)} |`;
}

export function programsTables(): string {
  return Object.entries(PROGRAMS)
    .map(([subject, programs]) => {
      const rows = programs.flatMap((program) => [
        row(program),
        ...(program.subcommands ?? []).map((command) => row(command, `${program.names} `)),
      ]);
      const head = ['| programs | what Parley knows | known options |', '| --- | --- | --- |'];
      return ['<details>', `<summary>${subject}</summary>`, '', ...head, ...rows, '', '</details>'].join('\n');
    })
    .join('\n\n');
}

/** The document with the current tables. */
export function permissionsDocument(root: string): string {
  const text = readFileSync(join(root, PAGE), 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has lost the marks "${BEGIN}" and "${END}".`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${programsTables()}\n\n${text.slice(end)}`;
}
