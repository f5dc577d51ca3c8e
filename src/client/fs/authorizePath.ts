import { stat } from 'node:fs/promises';
import { isMissingPath } from '../../base/errors';
import { invalidParams, RpcError, rpcCodes } from '../../base/jsonRpc';
import { displayPath } from '../../node/fs/pathLabel';
import { readRegularFile } from '../../node/fs/regularFile';
import { DEFAULT_SHELL } from '../../permissions/permissionPolicy';
import type { AuthorizationResult, AuthorizationRequest, FileChange, SessionHandle } from '../../session/sessionHandle';
import type { RuleCommand } from '../../permissions/rules/ruleRequest';
import { displayCommand, isWholeLine, quoteWord } from '../terminal/commandLine';
import type { ResolvedPath } from './resolvePath';
import { resolvePathAgain, resolvePath } from './resolvePath';
import type { CreateParams } from '../terminal/terminalParams';

/** Authorizes file access and commands with the session; most are inside the workspace and pass at once. */

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

/**
 * The working folder of an allowed command, with links resolved, and whether the command is a line for a shell.
 * @param variables the `params.env` entries that change the environment
 * @throws RpcError that names the command or the folder
 */
export async function authorizeFolder(
  session: SessionHandle,
  params: Pick<CreateParams, 'command' | 'args' | 'cwd'>,
  variables: CreateParams['env'],
  signal: AbortSignal,
): Promise<{ readonly cwd: string; readonly isLine: boolean }> {
  const requested = params.cwd ?? session.cwd;
  if (params.cwd === undefined && session.folders.length === 0)
    throw invalidParams('No folder is open, so there is nowhere to run a command. Open one first.');
  const path = await resolvePath(session.folders, requested, 'cwd');
  const found = await stat(path.real).catch(() => undefined);
  if (!found?.isDirectory()) throw invalidParams(`"cwd" ${found ? 'is not a folder' : 'does not exist'}: ${requested}`);
  const isLine = await isWholeLine(params.command, params.args, path.real);
  // A file whose name looks like a line is shown as a name.
  const title =
    isLine || params.args.length > 0 ? displayCommand(params.command, params.args) : quoteWord(params.command);
  // Outside the workspace an agent could be made to run other files (CVE-2026-50548).
  const env = Object.keys(variables).length > 0 && { env: variables };
  const command = { ...toRuleCommand(params, isLine), cwd: path.isOutside ? path.real : path.name, ...env };
  const input = { ...commandInput(params, isLine), cwd: path.requested, ...env };
  const answer = await session.userRequests.authorize(
    { kind: 'execute', title, otherwise: 'allow', command, input },
    signal,
  );
  if (!answer.allowed) throw refusalError(`The command "${title}" was not run`, answer, { command: params.command });
  await resolvePathAgain(session.folders, path, 'cwd');
  return { cwd: path.real, isLine };
}

/** As `planSpawn` will start it: a whole command line goes to a shell. */
function toRuleCommand({ command, args }: Pick<CreateParams, 'command' | 'args'>, isLine: boolean): RuleCommand {
  if (isLine) return { line: command, shell: DEFAULT_SHELL };
  return { argv: [command, ...args] };
}

function commandInput({ command, args }: Pick<CreateParams, 'command' | 'args'>, isLine: boolean): object {
  return args.length === 0 ? { command: isLine ? command : quoteWord(command) } : { command, args };
}

function refusalError(what: string, { reason }: AuthorizationResult, data: object): RpcError {
  return new RpcError(rpcCodes.invalidParams, `${what}: ${reason}.`, { ...data, reason: 'notAllowed' });
}
