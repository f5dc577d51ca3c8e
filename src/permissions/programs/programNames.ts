import type { Program } from './program';
import { programNamed } from './programTable';

/** The program's name without folder, case and extension: `/bin/RM.exe` is `rm`. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** `bash5`, `node22`, `python3.12` and `bash-static`. */
const VERSIONED = /^(.+?)(?:[-_]?\d[\d.]*|[-.](?:static|dbg|lts|stable|nightly))$/;

/** The name of a program without its version. */
export function plainName(name: string): string {
  const plain = VERSIONED.exec(name)?.[1];
  return plain !== undefined && (/^\w*sh$/.test(plain) || programNamed(plain)?.hasVersions) ? plain : name;
}

/** Folders of system programs. */
const SYSTEM = /^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/run\/current-system\/sw)?\/s?bin\/[\w.+[-]+$/;

/** The path is outside the system folders, so that the name does not identify the program. */
export function isOwnProgram(word: string): boolean {
  return /[\\/]/.test(word) && !SYSTEM.test(word) && !isEditorNode(word);
}

/** VS Code's own Node, with which Parley runs script agents; such agents use it for their commands. */
function isEditorNode(word: string): boolean {
  return word === process.execPath;
}

/** The program's name without a version, if the name identifies it; else empty. */
export function knownProgram(word: string): string {
  if (isEditorNode(word)) return 'node';
  return isOwnProgram(word) ? '' : plainName(programName(word));
}

/** Folders in which a project installs tools: a program there is what its name says. */
const TOOL_FOLDER = /(?:^|[\\/])(?:node_modules[\\/]\.bin|\.?v?env[\\/](?:bin|scripts)|vendor[\\/]bin)[\\/][^\\/]+$/i;

/** As {@link knownProgram}, and the name of a tool that the project has installed. */
export function toolName(word: string): string {
  return TOOL_FOLDER.test(word) || isProjectWrapper(word) ? plainName(programName(word)) : knownProgram(word);
}

/** `./gradlew`: the project's own copy of a build tool. */
function isProjectWrapper(word: string): boolean {
  const name = word
    .toLowerCase()
    .replace(/^.*[\\/]/s, '')
    .replace(/\.(?:bat|cmd)$/, '');
  return programNamed(name)?.projectWrapper === name;
}

/** What Parley knows about the program of a command. */
export function programOf([word = '']: readonly string[]): Program | undefined {
  return programNamed(knownProgram(word));
}
