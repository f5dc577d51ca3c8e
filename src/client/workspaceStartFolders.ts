import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { StartFolders } from '../agent/process/startFolder';
import { makeNeutralFolder } from '../agent/process/startFolder';
import { isInsideFolders } from '../node/fs/realPaths';

/**
 * The start folders of this window's agents.
 * @param neutral absolute, in the extension's storage
 * @param folders absolute workspace folders
 */
export function workspaceStartFolders(neutral: string, folders: () => readonly string[]): StartFolders {
  return {
    neutral: () => makeNeutralFolder(neutral),
    isTrusted: () => vscode.workspace.isTrusted,
    isInWorkspace: async (path) => isInsideFolders(await realpath(path).catch(() => path), folders()),
  };
}
