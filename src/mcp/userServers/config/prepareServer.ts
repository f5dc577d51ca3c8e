import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { t } from '../../../base/l10n';
import type { Logger } from '../../../base/logger';
import { substituteInputs } from '../../../base/variableSubstitution';
import { resolveWindowsCommand } from '../../../node/fs/resolveWindowsCommand';
import { processEnvironment, pathKey, withLoginShellPath } from '../../../node/process/processEnvironment';
import type { ServerDefinition, ServerLaunch } from './serverDefinition';
import { definitionKey } from './serverDefinition';
import type { InputValues, SecretStorage } from './serverInputs';
import { askInputs, substituteAll } from './serverInputs';

/** Asks the user about servers that the workspace defines. */
export interface ServerConsent {
  isAllowed(definition: ServerDefinition): boolean;
  /**
   * Asks the user unless the question was already answered; false when the server is not allowed.
   * @param isAgain ask although the user has postponed it
   */
  confirm(definition: ServerDefinition, isAgain: boolean): Promise<boolean>;
}

export interface PreparingOptions {
  readonly log: Logger;
  readonly consent: ServerConsent;
  readonly inputs: InputValues;
  /** Absolute; where processes without a `cwd` run. */
  readonly folder: () => string;
}

export type PrepareResult =
  | { readonly status: 'none' }
  | { readonly status: 'working'; readonly label: string }
  | { readonly status: 'ready'; readonly start: ServerLaunch }
  | { readonly status: 'stuck'; readonly why: string };

/**
 * Asks for consent and inputs, and looks up the command.
 * @returns the launch, or why the server cannot be used
 * @param report reports what it waits for
 * @param signal cancels prompts
 */
export async function prepareServer(
  definition: ServerDefinition,
  isAgain: boolean,
  { consent, inputs, folder, log }: PreparingOptions,
  report: (label: string) => void,
  signal: AbortSignal,
): Promise<ServerLaunch | string> {
  const { name, origin } = definition;
  if (origin.isOfWorkspace && !consent.isAllowed(definition)) {
    report(t('waiting for you: review what the server runs'));
    if (!(await consent.confirm(definition, isAgain))) return t('not used: you did not allow this server');
  }
  if (definition.inputs.size > 0) report(t('waiting for you: input required'));
  const inputResult = await askInputs(ownerOf(definition), definition.inputs, inputs, signal);
  if ('missing' in inputResult) return t('not used: the required input “{0}” was not provided', inputResult.missing);
  const start = substituteStart(definition.start, inputResult.values);
  inputs.hide(start.type === 'stdio' ? start.env : start.headers);
  if (start.type !== 'stdio') return start;
  const command = await resolveCommand(start.command, { env: start.env, folder: start.cwd ?? folder(), log });
  if (command !== undefined) return { ...start, command };
  log.warn('mcp', `Skipped the MCP server “${name}”: its command ${start.command} was not found`);
  return t('failed: the command {0} was not found; install it or use its full path', start.command);
}

/** What the user must do before the server can be prepared without a question; undefined if nothing. */
export async function setupText(
  definition: ServerDefinition,
  { consent, vault }: Pick<PreparingOptions, 'consent'> & { readonly vault: Pick<SecretStorage, 'read'> },
): Promise<string | undefined> {
  if (definition.origin.isOfWorkspace && !consent.isAllowed(definition)) return t('review what the server runs first');
  for (const name of definition.inputs.keys())
    if (((await vault.read(ownerOf(definition), name)) ?? '') === '') return t('input required');
  return undefined;
}

/** Owner of the inputs. Inputs of a workspace definition belong to exactly that definition. */
export function ownerOf(definition: ServerDefinition): string {
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

interface CommandContext {
  /** Variables of the entry, maybe with a PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; base of relative commands. */
  readonly folder: string;
  readonly log: Logger;
}

/** The absolute path of a command, since the agent that starts it may have another PATH. Undefined when there is no such program. */
async function resolveCommand(command: string, { env, folder, log }: CommandContext): Promise<string | undefined> {
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
