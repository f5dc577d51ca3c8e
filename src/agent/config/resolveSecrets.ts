import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { substituteInputs } from '../../base/variableSubstitution';
import type { AgentDefinition } from './agentDefinition';
import { contentHash, definitionContent, isWorkspaceAgent } from './workspaceAgents';

/** Secrets that the user entered once; VS Code's secret storage keeps them. */
export interface SecretSource {
  /** Undefined when the user entered none. */
  get(agentName: string, secretName: string): Promise<string | undefined>;
}

/** Values of a definition, which may contain `${input:NAME}`. */
type Values = Readonly<Record<string, string>>;

/**
 * Replaces `${input:NAME}` by the user's secrets.
 * @throws ParleyError (`badInput`) that names the missing secret
 */
export async function resolveSecrets(
  definition: AgentDefinition,
  values: Values,
  secrets: SecretSource | undefined,
): Promise<Values> {
  const texts = Object.values(values);
  const names = (definition.inputs ?? []).filter((name) => texts.some((text) => text.includes(`\${input:${name}}`)));
  const entered = new Map<string, string>();
  for (const name of names) {
    // One after the other, because each may prompt the user.
    const value = await secrets?.get(ownerOf(definition), name);
    if (value === undefined || value === '') throw noSecret(definition.title, name);
    entered.set(name, value);
  }
  if (entered.size === 0) return values;
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, substituteInputs(text, entered)]));
}

/** Whether all of the agent's secrets are known, so that the user need not enter any. */
export async function hasSecrets(
  definition: AgentDefinition,
  stored: { read(agentName: string, secretName: string): Promise<string | undefined> },
): Promise<boolean> {
  for (const name of definition.inputs ?? [])
    if (((await stored.read(ownerOf(definition), name)) ?? '') === '') return false;
  return true;
}

/**
 * The owner of a secret. An agent that a workspace defines gets no secret given to another definition of the same name.
 */
function ownerOf(definition: AgentDefinition): string {
  return isWorkspaceAgent(definition)
    ? `${definition.name} ${contentHash(definitionContent(definition)).slice(0, 16)}`
    : definition.name;
}

function noSecret(title: string, name: string): ParleyError {
  return new ParleyError('badInput', t('Cannot start {0}: no value was entered for the secret “{1}”', title, name), {
    nextStep: t('Restart the agent to enter the secret.'),
  });
}
