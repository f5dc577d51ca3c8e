import { closeSync, openSync, readSync } from 'node:fs';
import { delimiter } from 'node:path';
import { t } from '../../base/l10n';
import { firstLine } from '../../base/text';
import { isFileSync } from '../../node/fs/realPaths';
import type { AgentDefinition } from '../config/agentDefinition';
import { findKnownAgent } from '../registry/knownAgents';
import { requiredNodeVersion } from '../registry/nodeVersionCheck';

/** Why an agent did not start, and what the user can do. */
export interface LaunchDiagnosis {
  /** Continues "… cannot be started: command "x" ". */
  readonly reason: string;
  readonly nextStep: string;
  readonly detail?: string;
}

/**
 * The command was not found.
 * @param path the agent's PATH; undefined when none is set
 */
export function explainCommandNotFound(definition: AgentDefinition, path: string | undefined): LaunchDiagnosis {
  const { command } = definition;
  if (!/[\\/]/.test(command)) {
    const folders = (path ?? '').split(delimiter).filter(Boolean);
    const detail = folders.length === 0 ? t('PATH is empty.') : t('Searched PATH:\n{0}', folders.join('\n'));
    return { reason: t('was not found'), nextStep: installHint(definition), detail };
  }
  const interpreter = interpreterOf(command);
  if (interpreter === undefined) return { reason: t('was not found'), nextStep: installHint(definition) };
  return {
    reason: t('exists, but its interpreter {0} was not found', JSON.stringify(interpreter)),
    nextStep: t('Install {0}, or correct the first line of the file.', interpreter),
  };
}

/** How the user gets the command. */
export function installHint({ name, command, origin }: AgentDefinition): string {
  if (command === 'npx') return t('Install Node.js, which includes npx, then restart the editor to use the new PATH.');
  if (command === 'uvx') return t('Install uv, which includes uvx, then restart the editor to use the new PATH.');
  if (origin === 'registry') return t('Reinstall the agent with “Install Agent…”.');
  if (origin === 'path')
    return t('The program no longer exists. Reinstall it, or remove the agent with “Install Agent…”.');
  return t('Install the program, or correct "command" of "{0}" in the setting parley.agents.', name);
}

interface Sign {
  readonly pattern: RegExp;
  readonly advice: string;
}

/** Patterns in the output of failing programs. The first match wins. */
const SIGNS: readonly Sign[] = [
  {
    pattern: /\bnode['"’]?: (?:No such file|not found|command not found)|['"]node['"] is not recognized/i,
    advice: t('Node.js was not found on PATH. Install Node.js, then restart the editor to use the new PATH.'),
  },
  {
    pattern: /\bnpm (?:ERR!|error) (?:code )?(?:E404|404)\b|ETARGET|No matching version found/,
    advice: t('npm could not find this version of the package. Correct the version, or update the agent.'),
  },
  {
    pattern: /\bnpm (?:ERR!|error)[^]*\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/,
    advice: t('npx could not download the package. Check the network and the proxy settings, then restart the agent.'),
  },
  {
    pattern: /\bnpm (?:ERR!|error)[^]*\b(?:EACCES|EPERM|ENOSPC)\b/,
    advice: t('npm could not write to its cache. Check the folder permissions and the free disk space.'),
  },
  {
    pattern: /could not determine executable to run/,
    advice: t('The package does not contain a program with this name. Correct the arguments of npx.'),
  },
  {
    pattern:
      /\bNo solution found when resolving|was not found in the package registry|error: Failed to (?:fetch|resolve)/,
    advice: t('uvx could not download the package. Check the package name, the network and the proxy settings.'),
  },
  {
    pattern:
      /\b(?:unknown|unrecognized|unrecognised|unexpected|invalid) (?:option|argument|arguments|command|flag|subcommand)\b/i,
    advice: t(
      'The agent does not recognize one of its arguments. This version may be too old to support ACP. Update the agent, or correct "args".',
    ),
  },
  {
    pattern: /Exec format error|cannot execute binary file|Bad CPU type/i,
    advice: t('The program was built for another platform. Install the version for this machine.'),
  },
  {
    pattern: /GLIBC(?:XX)?_[\d.]+['’]? not found|error while loading shared libraries/,
    advice: t('The program requires system libraries that are missing or too old on this machine.'),
  },
];

const OLD_NODE =
  /SyntaxError:|ERR_UNKNOWN_BUILTIN_MODULE|No such built-in module|does not provide an export named|ERR_REQUIRE_ESM|EBADENGINE|Unsupported engine|requires Node|bad option: --/;

/** Advice for an agent that ended during its start; undefined when its output matches no known failure. */
export function explainExit(definition: AgentDefinition, output: string): string | undefined {
  return oldNode(definition, output) ?? SIGNS.find(({ pattern }) => pattern.test(output))?.advice;
}

/** Node ends its report of an uncaught error with its own version. */
function oldNode({ command, args }: AgentDefinition, output: string): string | undefined {
  const version = /\bNode\.js (v(\d+)\.[\w.-]+)|\bcurrent: \{ node: '(v(\d+)\.[\w.-]+)'/.exec(output);
  const [found, major] = [version?.[1] ?? version?.[3], Number(version?.[2] ?? version?.[4])];
  const needed = requiredNodeVersion(command, args);
  const remedy = t('Install a newer version of Node.js and put it first on PATH, then restart the editor.');
  if (found !== undefined && major < needed)
    return t('The agent ran with Node.js {0} but requires {1} or later. {2}', found, needed, remedy);
  if (!OLD_NODE.test(output)) return undefined;
  return found === undefined
    ? t('The Node.js version may be too old for the agent. {0}', remedy)
    : t('Node.js {0} may be too old for the agent. {1}', found, remedy);
}

/**
 * Advice for a running agent that does not answer.
 * @param noise a line on stdout that was not a message; empty when there was none
 */
export function explainNoResponse(definition: AgentDefinition, noise: string): string {
  const knownAgent = findKnownAgent(definition.command, definition.args);
  const missing = (knownAgent?.args ?? []).filter((arg) => !definition.args.includes(arg));
  if (knownAgent && missing.length > 0) {
    return t('{0} supports ACP only when started with {1}. Add {1} to "args".', knownAgent.title, missing.join(' '));
  }
  const check =
    definition.origin === undefined
      ? t('Check that "{0}" in the setting parley.agents starts the agent in its ACP mode.', definition.name)
      : t('Check that the command line starts the agent in its ACP mode.');
  return noise === '' ? check : t('The agent wrote plain text instead of protocol messages. {0}', check);
}

/** The interpreter in a script's first line; undefined when there is no such file, or it is not a script. */
function interpreterOf(file: string): string | undefined {
  if (!isFileSync(file)) return undefined;
  try {
    const handle = openSync(file, 'r');
    try {
      const buffer = Buffer.alloc(256);
      const line = firstLine(buffer.toString('utf8', 0, readSync(handle, buffer)));
      return /^#!\s*(\S+)/.exec(line)?.[1];
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}
