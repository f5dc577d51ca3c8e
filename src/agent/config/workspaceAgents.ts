import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json';
import { asObject, asString, sortedEntries } from '../../base/json';
import { t } from '../../base/l10n';
import type { SettingProblem } from '../../base/settings';
import type { FolderSetting, SettingScopes } from '../../base/settingScopes';
import { truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Variables } from '../../base/variableSubstitution';
import type { AgentDefinition } from './agentDefinition';
import { readAgents } from './agentSettings';
import { describeLaunch } from './describeLaunch';
import { usesPackageRunner } from './packageRunner';

/**
 * Agents that a workspace defines. Their list names are distinct, so that they never replace a user's agent or inherit
 * its rules and secrets. None starts before the user has confirmed its command (config rug pull).
 */

/** In UTF-16 units. */
const MAX_NAME = 80;

export type WorkspaceAgent = AgentDefinition & { readonly workspace: NonNullable<AgentDefinition['workspace']> };

export function isWorkspaceAgent(definition: AgentDefinition): definition is WorkspaceAgent {
  return definition.workspace !== undefined;
}

/**
 * The agents of the workspace file, then those of its folders.
 * @param variablesOf variables of a folder; of the first folder when undefined
 * @param taken names of the user's agents
 */
export function readWorkspaceAgents(
  { workspace, folders }: Omit<SettingScopes<JsonObject>, 'user'>,
  variablesOf: (folder: string | undefined) => Variables,
  isTrusted: boolean,
  taken: readonly string[],
  problems: SettingProblem[],
): readonly WorkspaceAgent[] {
  const names = new Set(taken);
  const locations: readonly SettingsLocation[] = [
    ...(workspace === undefined ? [] : [{ value: workspace, suffix: 'workspace', label: t('this workspace') }]),
    ...folders.map(toLocation),
  ];
  return locations.flatMap(({ value, suffix, label, folder }) => {
    const found: SettingProblem[] = [];
    const agents = readAgents(value, variablesOf(folder), isTrusted, found).flatMap((agent) => {
      const named = withLocation(agent, asObject(value[agent.name]) ?? {}, suffix, label);
      if (names.has(named.name)) {
        const message = t('an agent named “{0}” already exists; rename this agent', named.name);
        found.push({ path: `parley.agents[${JSON.stringify(agent.name)}]`, message });
        return [];
      }
      names.add(named.name);
      return [named];
    });
    for (const { path, message } of found) problems.push({ path, message, from: t('settings of {0}', label) });
    return agents;
  });
}

interface SettingsLocation {
  readonly value: JsonObject;
  readonly suffix: string;
  readonly label: string;
  readonly folder?: string;
}

function toLocation({ name, path, value }: FolderSetting<JsonObject>): SettingsLocation {
  return { value, suffix: name, label: t('the folder “{0}”', name), folder: path };
}

function withLocation(agent: AgentDefinition, entry: JsonObject, suffix: string, location: string): WorkspaceAgent {
  const name = `${agent.name} (${suffix})`;
  const values = Object.entries(asObject(agent.remote ? entry['headers'] : entry['env']) ?? {});
  const written = values.map(([key, value]) => [key, asString(value) ?? ''] as const);
  return {
    ...agent,
    name,
    title: escapeInvisibleInline(`${truncate(agent.name, MAX_NAME)} (${suffix})`),
    description: escapeInvisibleInline(t('Defined by {0}: {1}', location, agent.description)),
    workspace: { name: agent.name, location, written: Object.fromEntries(written) },
  };
}

/**
 * The content that decides what is run or reached. Variables and headers count unresolved: the user's environment may
 * change daily, and the workspace has no influence on it.
 */
export function definitionContent({ command, args, cwd, remote, workspace }: WorkspaceAgent): string {
  const written = sortedEntries(workspace.written);
  return JSON.stringify([command, args, cwd ?? null, remote?.type ?? null, remote?.url ?? null, written]);
}

/** SHA-256 of the confirmed content, in hexadecimal. The content is not stored, because it may hold secrets. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The full command or URL, with hidden characters made visible.
 * @param folder default working folder, unless a package runner starts the agent
 */
export function describeAgent({ command, args, cwd, remote, workspace }: WorkspaceAgent, folder: string): string[] {
  const start = cwd ?? (usesPackageRunner(command, args) ? t('outside the workspace') : folder);
  const lines = remote
    ? [t('URL: {0}', remote.url), ...headerLines(workspace.written)]
    : [...describeLaunch({ command, args, env: workspace.written }), t('Folder: {0}', start)];
  return lines.map(escapeInvisibleInline);
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  return lines.length === 0 ? [t('Headers: none')] : [t('Headers:'), ...lines];
}
