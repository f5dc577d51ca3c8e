import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { substituteInputs } from '../../base/variableSubstitution';
import type { AgentDefinition } from './agentDefinition';
import { contentHash, definitionContent, isWorkspaceAgent } from './workspaceAgents';

/** Secrets of the user, asked for once and kept by the editor. */
export interface SecretSource {
  /** The secret of this name for this agent; undefined when the user gave none. */
  get(agentName: string, secretName: string): Promise<string | undefined>;
}

/** Values with `${input:NAME}` in them, as a definition has them. */
type Values = Readonly<Record<string, string>>;

/**
 * The values with the user's secrets in the place of `${input:NAME}`.
 * @throws ParleyError (`badInput`) that names the secret that was not given
 */
export async function resolveSecrets(
  definition: AgentDefinition,
  values: Values,
  secrets: SecretSource | undefined,
): Promise<Values> {
  const texts = Object.values(values);
  const names = (definition.inputs ?? []).filter((name) => texts.some((text) => text.includes(`\${input:${name}}`)));
  const known = new Map<string, string>();
  for (const name of names) {
    // One after the other: each may be a question to the user.
    const value = await secrets?.get(ownerOf(definition), name);
    if (value === undefined || value === '') throw noSecret(definition.title, name);
    known.set(name, value);
  }
  if (known.size === 0) return values;
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, substituteInputs(text, known)]));
}

/** Whose a secret is. What a workspace defines gets no secret that was given for another definition of that name. */
function ownerOf(definition: AgentDefinition): string {
  return isWorkspaceAgent(definition)
    ? `${definition.name} ${contentHash(definitionContent(definition)).slice(0, 16)}`
    : definition.name;
}

function noSecret(title: string, name: string): ParleyError {
  return new ParleyError(
    'badInput',
    t('{0} was not started: it needs the secret “{1}”, and none was given', title, name),
    {
      nextStep: t('Restart the agent to be asked again.'),
    },
  );
}
