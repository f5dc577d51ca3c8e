import type { JsonObject } from '../../base/json';
import { asString, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { PinnedDefinition, ChangedDefinition } from '../availability/definitionPins';
import type { HeldBackTool, Tool, ToolPrompt, ToolResourceTemplate } from '../toolServerTypes';

/** Converts definitions of a server to pins. Tools are pinned by name; the names of all others contain a space, which no tool name can. */

export const INSTRUCTIONS = 'server instructions';
const PROMPT = 'prompt ';
const TEMPLATE = 'template ';

/** The fields of a tool that a model reads or that decide how it is called. */
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

/** Empty instructions are pinned, too: instructions that are added later are a change. */
export function pinnedInstructions(text: string): PinnedDefinition {
  return { name: INSTRUCTIONS, description: text, ...(text === '' && { isEmpty: true }) };
}

/** Adds the kind as a text, unless it is a tool. */
export function withLabel(held: ChangedDefinition): HeldBackTool {
  const label = labelOf(held.name);
  return label === undefined ? held : { ...held, label };
}

/** @param name in the pins */
function labelOf(name: string): string | undefined {
  if (name === INSTRUCTIONS) return t('Server instructions');
  if (name.startsWith(PROMPT)) return t('Prompt “{0}”', name.slice(PROMPT.length));
  if (name.startsWith(TEMPLATE)) return t('Resource template “{0}”', name.slice(TEMPLATE.length));
  return undefined;
}

function textsOf(definition: JsonObject): { title?: string; description?: string } {
  return omitUndefined({ title: asString(definition['title']), description: asString(definition['description']) });
}
