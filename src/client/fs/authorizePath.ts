import { isMissingPath } from '../../base/errors';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import { displayPath } from '../../node/fs/pathLabel';
import { readRegularFile } from '../../node/fs/regularFile';
import type { AuthorizationResult, AuthorizationRequest, FileChange, SessionHandle } from '../../session/sessionHandle';
import type { ResolvedPath } from './resolvePath';
import { resolvePathAgain, resolvePath } from './resolvePath';

/** Authorizes file access with the session; most is inside the workspace and passes at once. */

/** @throws RpcError that names the path and says why not */
export async function authorizeRead(session: SessionHandle, path: string, signal: AbortSignal): Promise<ResolvedPath> {
  const found = await resolvePath(session.folders, path);
  const title = `Read ${displayPath(found.name, session.folders)}`;
  await authorizePath(session, found, { kind: 'read', title }, signal);
  return found;
}

/** @throws RpcError that names the path and says why not */
export async function authorizeWrite(
  session: SessionHandle,
  { path, content }: { readonly path: string; readonly content: string },
  signal: AbortSignal,
): Promise<ResolvedPath> {
  const found = await resolvePath(session.folders, path);
  const title = `Write ${displayPath(found.name, session.folders)}`;
  const change: AuthorizationRequest['change'] = async () => {
    return { path: found.name, ...(await oldTextOf(found.real)), newText: content };
  };
  await authorizePath(session, found, { kind: 'edit', title, change }, signal);
  return found;
}

async function authorizePath(
  session: SessionHandle,
  found: ResolvedPath,
  request: Pick<AuthorizationRequest, 'kind' | 'title' | 'change'>,
  signal: AbortSignal,
): Promise<void> {
  const paths = [...new Set([found.requested, found.real])];
  const answer = await session.userRequests.authorize({ ...request, otherwise: 'allow', paths }, signal);
  const verb = request.kind === 'read' ? 'read' : 'written';
  if (!answer.allowed) throw refusalError(`${found.requested} was not ${verb}`, answer, { path: found.requested });
  // The path may have changed while the user was asked.
  await resolvePathAgain(session.folders, found);
}

/** The text of a file for a diff. */
async function oldTextOf(path: string): Promise<Pick<FileChange, 'oldText' | 'hidesOldText'>> {
  try {
    // The path may lead to a pipe or device.
    const bytes = await readRegularFile(path, MAX_SHOWN);
    return typeof bytes === 'string' ? { hidesOldText: true } : { oldText: bytes.toString('utf8') };
  } catch (error) {
    return isMissingPath(error) ? {} : { hidesOldText: true };
  }
}

/** Bytes. */
const MAX_SHOWN = 1024 * 1024;

export function refusalError(what: string, { reason }: AuthorizationResult, data: object): RpcError {
  return new RpcError(rpcCodes.invalidParams, `${what}: ${reason}.`, { ...data, reason: 'notAllowed' });
}
