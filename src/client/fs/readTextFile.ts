import * as vscode from 'vscode';
import type { SessionHandle } from '../../session/sessionHandle';
import { authorizeRead } from './authorizePath';
import { binaryFileError, notFoundError, readDisk, readLines, tooLargeError } from './diskFiles';
import { findTextDocument } from '../../workbench/textDocuments';
import type { LastSeenContents } from './lastSeenContents';
import type { ResolvedPath } from './resolvePath';
import { sliceLines } from '../../workbench/textEdits';

export interface ReadParams {
  readonly sessionId: string;
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  readonly limit?: number;
}

/**
 * A file's name in the workspace and its text: the unsaved buffer, else the file, decoded as VS Code would.
 * @param signal aborts when the agent cancels the request
 */
export async function readTextFile(
  params: ReadParams,
  session: SessionHandle,
  lastSeen: LastSeenContents,
  signal: AbortSignal,
): Promise<{ path: string; content: string }> {
  const path = await authorizeRead(session, params.path, signal);
  const document = await findTextDocument(path);
  if (document?.isDirty) return returnText(params, path, document.getText(), lastSeen);
  const disk = await readDisk(session.folders, path);
  if (!disk) throw notFoundError(path.requested);
  if (disk.type === 'bytes') return returnText(params, path, await decodeBytes(disk.bytes, path, document), lastSeen);
  if (params.line === undefined && params.limit === undefined) throw tooLargeError(path.requested, 'The file is');
  const content = await readLines(session.folders, path, Math.max(1, params.line ?? 1), params.limit ?? Infinity);
  return { path: path.name, content };
}

function returnText(
  params: ReadParams,
  path: ResolvedPath,
  text: string,
  lastSeen: LastSeenContents,
): { path: string; content: string } {
  lastSeen.set(params.sessionId, path.name, { text, isEdited: false });
  return { path: path.name, content: sliceLines(text, params.line, params.limit) };
}

/** With the encoding of the open document, else by VS Code's settings and byte order mark. */
export async function decodeBytes(
  bytes: Uint8Array,
  path: ResolvedPath,
  document: vscode.TextDocument | undefined,
): Promise<string> {
  try {
    if (document) return await vscode.workspace.decode(bytes, { encoding: document.encoding });
    return await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path.name) });
  } catch {
    throw binaryFileError(path.requested);
  }
}
