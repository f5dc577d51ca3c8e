import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter } from 'node:path';
import { t } from '../../base/l10n';
import { firstLine } from '../../base/text';
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
    const detail = folders.length === 0 ? t('PATH is empty.') : t('Looked for in PATH:\n{0}', folders.join('\n'));
    return { reason: t('was not found'), nextStep: installHint(definition), detail };
  }
  const interpreter = interpreterOf(command);
  if (interpreter === undefined) return { reason: t('was not found'), nextStep: installHint(definition) };
  return {
    reason: t('is there, but {0}, which its first line names, was not found', JSON.stringify(interpreter)),
    nextStep: t('Install {0}, or correct the file.', interpreter),
  };
}

/** How the user gets the command. */
export function installHint({ name, command, origin }: AgentDefinition): string {
  if (command === 'npx')
    return t('Install Node.js, which brings npx, then restart the editor so that it sees the new PATH.');
  if (command === 'uvx')
    return t('Install uv, which brings uvx, then restart the editor so that it sees the new PATH.');
  if (origin === 'registry') return t('Install it again by the command “Install Agent…”.');
  if (origin === 'path')
    return t('It was there when you added it. Install it again, or remove it by “Install Agent…”.');
  return t('Install it, or correct "command" of "{0}" in the setting parley.agents.', name);
}

interface Sign {
  readonly pattern: RegExp;
  readonly advice: string;
}

/** Patterns in the output of failing programs. The first match wins. */
const SIGNS: readonly Sign[] = [
  {
    pattern: /\bnode['"’]?: (?:No such file|not found|command not found)|['"]node['"] is not recognized/i,
    advice: t('Node.js was not found on PATH. Install it, then restart the editor so that it sees the new PATH.'),
  },
  {
    pattern: /\bnpm (?:ERR!|error) (?:code )?(?:E404|404)\b|ETARGET|No matching version found/,
    advice: t('npm does not have this package in this version. Correct the version, or update the agent.'),
  },
  {
    pattern: /\bnpm (?:ERR!|error)[^]*\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/,
    advice: t('npx could not download the package. Check the network and the proxy settings, then restart the agent.'),
  },
  {
    pattern: /\bnpm (?:ERR!|error)[^]*\b(?:EACCES|EPERM|ENOSPC)\b/,
    advice: t('npm could not write to its cache. Check the rights of its folder and the space on the disk.'),
  },
  {
    pattern: /could not determine executable to run/,
    advice: t('The package holds no program of this name. Correct the arguments of npx.'),
  },
  {
    pattern:
      /\bNo solution found when resolving|was not found in the package registry|error: Failed to (?:fetch|resolve)/,
    advice: t('uvx could not get the package. Check its name, the network and the proxy settings.'),
  },
  {
    pattern:
      /\b(?:unknown|unrecognized|unrecognised|unexpected|invalid) (?:option|argument|arguments|command|flag|subcommand)\b/i,
    advice: t(
      'It does not know one of its arguments: this version may be too old to speak ACP. Update it, or correct "args".',
    ),
  },
  {
    pattern: /Exec format error|cannot execute binary file|Bad CPU type/i,
    advice: t('The program is made for another kind of machine. Install the one for this machine.'),
  },
  {
    pattern: /GLIBC(?:XX)?_[\d.]+['’]? not found|error while loading shared libraries/,
    advice: t('The program needs newer or other system libraries than this machine has.'),
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
  const remedy = t('Install a newer one and put it first on PATH, then restart the editor.');
  if (found !== undefined && major < needed)
    return t('It ran with Node.js {0} and needs {1} or later. {2}', found, needed, remedy);
  if (!OLD_NODE.test(output)) return undefined;
  return found === undefined
    ? t('This looks like a Node.js that is too old for it. {0}', remedy)
    : t('This looks like a Node.js ({0}) that is too old for it. {1}', found, remedy);
}

/**
 * Advice for a running agent that does not answer.
 * @param noise a line on stdout that was no message; empty when there was none
 */
export function explainNoResponse(definition: AgentDefinition, noise: string): string {
  const known = findKnownAgent(definition.command, definition.args);
  const missing = (known?.args ?? []).filter((arg) => !definition.args.includes(arg));
  if (known && missing.length > 0) {
    return t('{0} speaks ACP only when it is started with {1}: add it to "args".', known.title, missing.join(' '));
  }
  const check =
    definition.origin === undefined
      ? t('Check that "{0}" in the setting parley.agents starts the agent in its ACP mode.', definition.name)
      : t('Check that its command line starts the agent in its ACP mode.');
  return noise === '' ? check : t('It wrote plain text where protocol messages belong. {0}', check);
}

/** The interpreter in a script's first line; undefined when there is no such file, or it is no script. */
function interpreterOf(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
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
