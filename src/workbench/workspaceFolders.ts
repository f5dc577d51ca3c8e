import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { isInsideFolders } from '../node/fs/realPaths';
import { lastActiveEditor } from './activeEditor';

/** The workspace folders on disk, which agents can access. */
export function localWorkspaceFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** Absolute paths of {@link localWorkspaceFolders}. */
export function localFolders(): string[] {
  return localWorkspaceFolders().map(({ uri }) => uri.fsPath);
}

/** Whether a folder is in the workspace, by its real path, so that it may contain programs of the workspace. */
export async function isFolderInWorkspace(folder: string): Promise<boolean> {
  return isInsideFolders(await realpath(folder).catch(() => folder), localFolders());
}

/** Names of the folders that agents, which work on files on disk, cannot access. */
export function virtualFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme !== 'file').map(({ name }) => name);
}

/** The workspace folder of the active editor. */
export function activeFolder(): string | undefined {
  const uri = lastActiveEditor()?.document.uri;
  const folder = uri && vscode.workspace.getWorkspaceFolder(uri);
  return folder?.uri.scheme === 'file' ? folder.uri.fsPath : undefined;
}

/** Where a save dialog begins: this name in the first workspace folder. Undefined where no folder is open. */
export function inFirstFolder(name: string): vscode.Uri | undefined {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder && vscode.Uri.joinPath(folder.uri, name);
}

/** The working folder of agents whose definition names no folder. */
export function workingFolder(): string {
  return localFolders()[0] ?? homedir();
}
