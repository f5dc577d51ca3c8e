import * as vscode from 'vscode';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { SessionHandle } from '../../session/sessionHandle';
import { findTextDocument } from '../../workbench/textDocuments';
import { sliceLines } from '../../workbench/textEdits';
import type { TextForm } from '../../workbench/textForm';
import { readTextForm } from '../../workbench/textForm';
import { authorizeRead } from './authorizePath';
import { binaryFileError, notFoundError, readDisk, readLines, tooLargeError } from './diskFiles';
import type { LastSeenContents } from './lastSeenContents';
import type { ResolvedPath } from './resolvePath';

export interface ReadParams {
  readonly sessionId: string;
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  readonly limit?: number;
}

/**
 * A file's name in the workspace and its text: the unsaved buffer, else the file.
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
  if (disk.type === 'bytes')
    return returnText(params, path, (await readForm(disk.bytes, path, document)).text, lastSeen);
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

/**
 * The text of a file with all that its bytes need.
 * @throws RpcError for a binary file, and for one whose text would not give the same bytes again
 */
export async function readForm(
  bytes: Uint8Array,
  path: ResolvedPath,
  document: vscode.TextDocument | undefined,
): Promise<TextForm> {
  let form: TextForm | undefined;
  try {
    form = await readTextForm(bytes, vscode.Uri.file(path.name), document);
  } catch {
    throw binaryFileError(path.requested);
  }
  if (form) return form;
  const message = `${path.requested} is not UTF-8, or not in the encoding of its editor: its text would lose bytes. Nothing was changed; ask the user to set "files.encoding" for this file.`;
  throw new RpcError(rpcCodes.invalidParams, message, { path: path.requested, reason: 'encoding' });
}
