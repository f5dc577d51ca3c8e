import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentProgram } from '../config/agentDefinition';
import { usesPackageRunner } from '../config/packageRunner';

/** The inputs for choosing the start folder of an agent's process. The folder of a session is set by `session/new` alone. */
export interface StartFolders {
  /** An absolute folder without any workspace files; created when it is missing. */
  neutral(): Promise<string>;
  isTrusted(): boolean;
  /** Whether a path is in the open workspace, with links resolved. */
  isInWorkspace(path: string): Promise<boolean>;
}

/**
 * The start folder of the process. In a workspace, a package runner would take the program from `node_modules` and
 * settings from `.npmrc`, so it starts in the neutral folder. In an untrusted workspace every agent does (`python -m`
 * and `node x.js` also load files from there). The entry's `cwd` has priority, except inside an untrusted workspace.
 * @param folder absolute; for agents that may start in the workspace
 */
export async function startFolder(
  { command, args, cwd }: AgentProgram,
  folder: string,
  folders: StartFolders,
): Promise<string> {
  const isTrusted = folders.isTrusted();
  if (cwd !== undefined && (isTrusted || !(await folders.isInWorkspace(cwd)))) return cwd;
  return isTrusted && !usesPackageRunner(command, args) ? folder : folders.neutral();
}

/**
 * Writes a `package.json`, at which npm stops searching parent folders.
 * @param folder absolute
 */
export async function makeNeutralFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  return folder;
}
