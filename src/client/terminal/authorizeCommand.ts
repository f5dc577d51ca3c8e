import { stat } from 'node:fs/promises';
import { invalidParams } from '../../base/jsonRpc';
import { DEFAULT_SHELL } from '../../permissions/permissionPolicy';
import type { RuleCommand } from '../../permissions/rules/ruleRequest';
import type { SessionHandle } from '../../session/sessionHandle';
import { refusalError } from '../fs/authorizePath';
import { resolvePath, resolvePathAgain } from '../fs/resolvePath';
import { displayCommand, isWholeLine, quoteWord } from './commandLine';
import type { CreateParams } from './terminalParams';

/**
 * The working folder of an allowed command, with links resolved, whether the command is a line for a shell, and why the user was not asked.
 * @param variables the `params.env` entries that change the environment
 * @throws RpcError that names the command or the folder
 */
export async function authorizeCommand(
  session: SessionHandle,
  params: CreateParams,
  variables: CreateParams['env'],
  signal: AbortSignal,
): Promise<{ readonly cwd: string; readonly isLine: boolean; readonly allowed?: string }> {
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
  return { cwd: path.real, isLine, ...(answer.by !== 'person' && { allowed: answer.reason }) };
}

/** As `planSpawn` will start it: a whole command line goes to a shell. */
function toRuleCommand({ command, args }: CreateParams, isLine: boolean): RuleCommand {
  if (isLine) return { line: command, shell: DEFAULT_SHELL };
  return { argv: [command, ...args] };
}

function commandInput({ command, args }: CreateParams, isLine: boolean): object {
  return args.length === 0 ? { command: isLine ? command : quoteWord(command) } : { command, args };
}
