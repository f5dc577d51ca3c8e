import type { Program, Runs } from './program';
import { CONTAINERS } from './table/containers';
import { INTERPRETERS } from './table/interpreters';
import { MACHINE } from './table/machine';
import { OTHER_MACHINES } from './table/otherMachines';
import { PACKAGE_MANAGERS } from './table/packageManagers';
import { PROJECT_TOOLS } from './table/projectTools';
import { READING } from './table/reading';
import { SHELLS } from './table/shells';
import { VERSION_CONTROL } from './table/versionControl';
import { WRAPPERS } from './table/wrappers';
import { WRITING } from './table/writing';

/** All programs that Parley knows, by subject. */
export const PROGRAMS: Readonly<Record<string, readonly Program[]>> = {
  'Reading and printing': READING,
  'Writing, moving and deleting': WRITING,
  'Shells and wrappers': SHELLS,
  'Programs that run something hidden': WRAPPERS,
  'Containers and environments': CONTAINERS,
  Interpreters: INTERPRETERS,
  'Project tools': PROJECT_TOOLS,
  'Package managers': PACKAGE_MANAGERS,
  'Version control': VERSION_CONTROL,
  'Other machines and services': OTHER_MACHINES,
  'This machine': MACHINE,
};

const all = Object.values(PROGRAMS).flat();
const byName = new Map(all.flatMap((program) => program.names.split(' ').map((name) => [name, program] as const)));
const withPattern = all.filter(({ matches }) => matches !== undefined);

/** The program of this name; `knownProgram` and `toolName` of `programNames.ts` read it from a word. */
export function programNamed(name: string): Program | undefined {
  return byName.get(name) ?? withPattern.find(({ matches }) => matches?.test(name));
}

/** Whether a program runs one of these. */
export function runs(program: Program | undefined, ...what: readonly Runs[]): boolean {
  return program?.runs?.some((each) => what.includes(each)) === true;
}
