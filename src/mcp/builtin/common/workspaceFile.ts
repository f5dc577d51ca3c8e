import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import * as vscode from 'vscode';
import { delay } from '../../../base/async';
import { errorMessage } from '../../../base/errors';
import { readPlainFile } from '../../../node/fs/overwriteFile';
import type { SessionHandle } from '../../../session/sessionHandle';
import type { WriteTarget } from '../../../workbench/editorWrites';
import { savedFile } from '../../../workbench/editorWrites';
import { isRealInWorkspace } from '../../../workbench/workspaceFiles';
import { localFolders } from '../../../workbench/workspaceFolders';
import { ToolError } from '../../contract/toolServerTypes';

/** Milliseconds for a buffer to take over changes on disk. */
const SYNC_TIMEOUT_MS = 2_000;
const SYNC_POLL_MS = 50;
/** Bytes; VS Code opens no larger text. */
const MAX_COMPARED = 64 * 1024 * 1024;

export interface NamedFile {
  readonly uri: vscode.Uri;
  /** Its path relative to the workspace folder. */
  readonly label: string;
}

/** A file that was in the workspace when it was looked up. */
export interface WorkspaceFile extends WriteTarget, NamedFile {}

/** Relative to the workspace folder, with forward slashes. */
export function labelOf(uri: vscode.Uri): string {
  const hasSeveralFolders = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return vscode.workspace.asRelativePath(uri, hasSeveralFolders);
}

/**
 * Resolves a path given by a model, relative to the session's folder or a workspace folder.
 * @throws ToolError when it is not in a workspace folder
 */
export function resolveWorkspaceFile(path: string, session: SessionHandle): WorkspaceFile {
  const candidates = isAbsolute(path) ? [path] : foldersOf(session).flatMap((folder) => inFolder(folder, path));
  // VS Code takes `/ws/../x` for a file in /ws.
  const uris = candidates.map((candidate) => vscode.Uri.file(resolve(candidate)));
  const inside = uris
    .map((uri) => ({ uri, real: savedFile({ uri }) }))
    .filter(({ uri, real }) => isRealInWorkspace(uri, vscode.Uri.file(real)));
  const open = inside.find(({ uri }) =>
    vscode.workspace.textDocuments.some((document) => document.uri.fsPath === uri.fsPath),
  );
  const found = open ?? inside.find(({ uri }) => existsSync(uri.fsPath)) ?? inside[0];
  if (!found) throw new ToolError(`${path} is not in the workspace.`, 'Give a path relative to a workspace folder.');
  return { ...found, label: labelOf(found.uri) };
}

/** Tools see the main folder, also for a session in a git worktree. */
function foldersOf({ cwd, folders, state }: SessionHandle): readonly string[] {
  return state.branch === undefined ? [cwd, ...folders] : localFolders();
}

/** In a multi-root workspace a path may begin with a folder's name. */
function inFolder(folder: string, path: string): string[] {
  const named = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === folder)?.name;
  const isNamed = named !== undefined && (path === named || path.startsWith(`${named}/`));
  return [join(folder, path), ...(isNamed ? [join(folder, relative(named, path))] : [])];
}

export interface OpenedDocument {
  readonly document: vscode.TextDocument;
  readonly label: string;
  /** Results are then about the buffer, not the file. */
  readonly unsaved: boolean;
}

/**
 * Opens a document, which wakes its language server, and waits until its buffer equals the file: agents write files directly.
 * @throws ToolError when it cannot be opened
 */
export async function openDocument({ uri, label }: NamedFile): Promise<OpenedDocument> {
  const document = await openText(uri, label);
  for (let waited = 0; waited < SYNC_TIMEOUT_MS; waited += SYNC_POLL_MS) {
    if (document.isDirty || (await agrees(document))) break;
    await delay(SYNC_POLL_MS);
  }
  return { document, label, unsaved: document.isDirty };
}

async function openText(uri: vscode.Uri, label: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw new ToolError(`${label} cannot be opened: ${errorMessage(error)}.`, 'Check the path.', { cause: error });
  }
}

/** Ignores a byte order mark and line endings. */
async function agrees(document: vscode.TextDocument): Promise<boolean> {
  if (document.uri.scheme !== 'file') return true;
  const onDisk = await readPlainFile(document.uri.fsPath, MAX_COMPARED);
  return onDisk === undefined || plain(onDisk.toString('utf8')) === plain(document.getText());
}

function plain(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}
