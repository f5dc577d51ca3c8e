import type { JsonObject } from '../../base/json';
import { asString, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { PinnedDefinition, ChangedDefinition } from '../availability/definitionPins';
import type { HeldBackTool, Tool, ToolPrompt, ToolResourceTemplate } from '../toolServerTypes';

/**
 * What of a server is pinned, by name: its tools by theirs, the rest by names that no tool can have, since there is no space in those.
 */

export const INSTRUCTIONS = 'server instructions';
const PROMPT = 'prompt ';
const TEMPLATE = 'template ';

/** What a model reads of a tool, and what decides how it is called. */
export function pinnedTool({ name }: Tool, definition: JsonObject): PinnedDefinition {
  const { inputSchema, outputSchema, annotations } = definition;
  return { name, ...textsOf(definition), inputSchema, outputSchema, annotations };
}

export function pinnedPrompt({ name }: ToolPrompt, definition: JsonObject): PinnedDefinition {
  return { name: PROMPT + name, ...textsOf(definition), arguments: definition['arguments'] };
}

export function pinnedTemplate({ pattern }: ToolResourceTemplate, definition: JsonObject): PinnedDefinition {
  const more = omitUndefined({ mimeType: asString(definition['mimeType']) });
  return { name: TEMPLATE + pattern, ...textsOf(definition), ...more };
}

/** Also where there are none: a server that has some later has changed. */
export function pinnedInstructions(text: string): PinnedDefinition {
  return { name: INSTRUCTIONS, description: text, ...(text === '' && { isEmpty: true }) };
}

/** With what it is in the user's words, where it is no tool. */
export function withLabel(held: ChangedDefinition): HeldBackTool {
  const label = labelOf(held.name);
  return label === undefined ? held : { ...held, label };
}

/** @param name in the pins */
function labelOf(name: string): string | undefined {
  if (name === INSTRUCTIONS) return t('Instructions of the server');
  if (name.startsWith(PROMPT)) return t('Prompt “{0}”', name.slice(PROMPT.length));
  if (name.startsWith(TEMPLATE)) return t('Kind of documents “{0}”', name.slice(TEMPLATE.length));
  return undefined;
}

function textsOf(definition: JsonObject): { title?: string; description?: string } {
  return omitUndefined({ title: asString(definition['title']), description: asString(definition['description']) });
}
