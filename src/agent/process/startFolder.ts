import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition } from '../config/agentDefinition';
import { usesPackageRunner } from './packageRunner';

/** What decides where the process of an agent starts; where its sessions work is said in `session/new` alone. */
export interface StartFolders {
  /** A folder without anything of a workspace, made when it is missing: absolute. */
  neutral(): Promise<string>;
  isTrusted(): boolean;
  /** Whether a path lies in the open workspace, links resolved. */
  isInWorkspace(path: string): Promise<boolean>;
}

/**
 * Where the process starts. A package runner that was started in a workspace would take the program from its `node_modules` and its
 * settings from its `.npmrc`, so it starts in the neutral folder; in a workspace without trust every agent does (`python -m` and `node
 * x.js` look there as well). A `cwd` of the agent's entry counts, but never one inside a workspace without trust.
 * @param folder for what starts in the workspace: absolute
 */
export async function startFolder(
  { command, args, cwd }: Pick<AgentDefinition, 'command' | 'args' | 'cwd'>,
  folder: string,
  folders: StartFolders,
): Promise<string> {
  const isTrusted = folders.isTrusted();
  if (cwd !== undefined && (isTrusted || !(await folders.isInWorkspace(cwd)))) return cwd;
  return isTrusted && !usesPackageRunner(command, args) ? folder : folders.neutral();
}

/**
 * Makes a folder neutral: npm looks upwards for a `package.json`, and stops at this one.
 * @param folder absolute
 */
export async function makeNeutralFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  return folder;
}
