import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { substituteInputs } from '../../base/variableSubstitution';
import { resolveWindowsCommand } from '../../node/fs/resolveWindowsCommand';
import { processEnvironment, pathKey, withLoginShellPath } from '../../node/process/processEnvironment';
import type { AccountChange, SignInUi } from './auth/oauthGrant';
import type { Account } from './auth/serverAccount';
import type { ServerDefinition, ServerLaunch } from './config/serverDefinition';
import { definitionKey } from './config/serverDefinition';
import type { ServerSecrets } from './config/serverInputs';
import { askInputs, substituteAll } from './config/serverInputs';

/** Asks the user about servers that the workspace defines. */
export interface ServerConsent {
  isAllowed(definition: ServerDefinition): boolean;
  /**
   * Asks the user unless the question was already answered; false when the server is not allowed.
   * @param isAgain ask although the user has postponed it
   */
  confirm(definition: ServerDefinition, isAgain: boolean): Promise<boolean>;
}

export type PrepareResult =
  | { readonly status: 'none' }
  | { readonly status: 'working'; readonly label: string; readonly isUnreviewed?: true }
  | { readonly status: 'ready'; readonly start: ServerLaunch }
  | { readonly status: 'stuck'; readonly why: string };

/** Gets what servers need before they are started: the user's consent, inputs and accounts, and the path of their command. */
export class ServerLauncher {
  constructor(
    private readonly consent: ServerConsent,
    private readonly secrets: ServerSecrets,
    private readonly signInUi: SignInUi,
    private readonly log: Logger,
  ) {}

  /**
   * Asks for consent and inputs, and looks up the command.
   * @returns the launch, or why the server cannot be used
   * @param folder absolute; where a process without a `cwd` runs
   * @param report reports what it waits for
   * @param signal cancels prompts
   */
  async prepare(
    definition: ServerDefinition,
    isAgain: boolean,
    folder: () => string,
    report: (label: string, isUnreviewed?: true) => void,
    signal: AbortSignal,
  ): Promise<ServerLaunch | string> {
    const { name, origin } = definition;
    if (origin.isOfWorkspace && !this.consent.isAllowed(definition)) {
      report(t('waiting for you: review what the server runs'), true);
      if (!(await this.consent.confirm(definition, isAgain))) return t('not used: you did not allow this server');
    }
    if (definition.inputs.size > 0) report(t('waiting for you: input required'));
    const inputResult = await askInputs(ownerOf(definition), definition.inputs, this.secrets, signal);
    if ('missing' in inputResult) return t('not used: the required input “{0}” was not provided', inputResult.missing);
    const start = substituteStart(definition.start, inputResult.values);
    this.secrets.hide(start.type === 'stdio' ? start.env : start.headers);
    if (start.type !== 'stdio') return start;
    const command = await resolveCommand(start.command, start.env, start.cwd ?? folder(), this.log);
    if (command !== undefined) return { ...start, command };
    this.log.warn('mcp', `Skipped the MCP server “${name}”: its command ${start.command} was not found`);
    return t('failed: the command {0} was not found; install it or use its full path', start.command);
  }

  /** Shows what a server runs while its consent is asked for: the notification may be out of sight. */
  review(definition: ServerDefinition): void {
    void this.consent.confirm(definition, true);
  }

  /** What the user must do before the server can be prepared without a question; undefined if nothing. */
  async setupText(definition: ServerDefinition): Promise<string | undefined> {
    if (definition.origin.isOfWorkspace && !this.consent.isAllowed(definition))
      return t('review what the server runs first');
    for (const name of definition.inputs.keys())
      if (((await this.secrets.read(ownerOf(definition), name)) ?? '') === '') return t('input required');
    return undefined;
  }

  /**
   * The account at a prepared server, with its stored grant; undefined for a program, and for an entry with its own token.
   * @param reconnect called after sign-in or sign-out in any window
   */
  async openAccount(
    definition: ServerDefinition,
    start: ServerLaunch,
    reconnect: (change: AccountChange) => Promise<void>,
  ): Promise<Account | undefined> {
    if (start.type === 'stdio' || start.type === 'ws') return undefined;
    if (Object.keys(start.headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
    const { Account } = await import('./auth/serverAccount');
    const server = { name: definition.name, url: start.url, owner: ownerOf(definition) };
    const account = new Account(server, this.secrets, this.signInUi, this.log, reconnect);
    await account.load();
    return account;
  }
}

/** Owner of the inputs. Inputs of a workspace definition belong to exactly that definition. */
function ownerOf(definition: ServerDefinition): string {
  const { name, origin } = definition;
  return `MCP server ${name}${origin.isOfWorkspace ? ` ${definitionKey(definition).slice(0, 16)}` : ''}`;
}

function substituteStart(start: ServerLaunch, values: ReadonlyMap<string, string>): ServerLaunch {
  if (start.type !== 'stdio')
    return { ...start, url: substituteInputs(start.url, values), headers: substituteAll(start.headers, values) };
  return {
    ...start,
    command: substituteInputs(start.command, values),
    args: start.args.map((arg) => substituteInputs(arg, values)),
    env: substituteAll(start.env, values),
    ...(start.cwd !== undefined && { cwd: substituteInputs(start.cwd, values) }),
  };
}

/**
 * The absolute path of a command, since the agent that starts it may have another PATH. Undefined when there is no such program.
 * @param env variables of the entry, maybe with a PATH
 * @param folder absolute; base of relative commands
 */
async function resolveCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  folder: string,
  log: Logger,
): Promise<string | undefined> {
  const isWindows = process.platform === 'win32';
  const own = processEnvironment(process.env, env, isWindows);
  if (isWindows) return resolveWindowsCommand(command, folder, own);
  if (command.includes('/')) {
    const path = isAbsolute(command) ? command : resolve(folder, command);
    return (await isProgram(path)) ? path : undefined;
  }
  const all = 'PATH' in env ? own : await withLoginShellPath(own, log);
  for (const directory of (all[pathKey(all)] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(directory, command);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
