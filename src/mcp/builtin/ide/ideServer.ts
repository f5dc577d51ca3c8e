import * as vscode from 'vscode';
import type { Event } from '../../../base/event';
import type { JsonObject } from '../../../base/json';
import { isObject } from '../../../base/json';
import { escapeInvisible, escapeInvisibleInline } from '../../../base/untrustedText';
import type { ToolResult } from '../../../session/toolServer';
import type { Tool, ToolServer } from '../../contract/toolServerTypes';
import { ToolError } from '../../contract/toolServerTypes';
import { RUN_LIMIT_MS } from '../common/backgroundRuns';
import { ideToolNames } from './ideToolNames';
import type { LanguageModelTools } from './languageModelTools';
import { invokeLanguageModelTool, toolErrorReason } from './languageModelTools';

/**
 * Language model tools of VS Code and its extensions that the user selected by name. VS Code runs some without confirmation, and a selected
 * name says nothing about one call, so every call requires approval (docs/security.md, row 17).
 */
export function ideServer(
  languageModelTools: LanguageModelTools,
  chosenTools: () => readonly string[],
  onDidChange: Event<void>,
): ToolServer {
  const offer = cachedOffer(languageModelTools);
  return {
    name: 'ide',
    title: 'Editor tools',
    description: 'Chosen language model tools of the editor and its extensions',
    get tools() {
      return offer(chosenTools());
    },
    onDidChange,
  };
}

/** Returns the same array while nothing changes, since callers compare it. */
function cachedOffer(languageModelTools: LanguageModelTools): (chosen: readonly string[]) => readonly Tool[] {
  let key = '';
  let tools: readonly Tool[] = [];
  return (chosen) => {
    const found = languageModelTools.tools.filter(({ name }) => chosen.includes(name));
    const nextKey = JSON.stringify(found.map(({ name, description, inputSchema }) => [name, description, inputSchema]));
    if (nextKey === key) return tools;
    const names = ideToolNames(found.map(({ name }) => name));
    key = nextKey;
    tools = found.map((information, index) =>
      passedOn(information, names[index] ?? information.name, languageModelTools),
    );
    return tools;
  };
}

function passedOn(
  { name, description, inputSchema }: vscode.LanguageModelToolInformation,
  offered: string,
  languageModelTools: LanguageModelTools,
): Tool {
  const shown = escapeInvisibleInline(name);
  return {
    name: offered,
    title: shown,
    description: escapeInvisible(description) || shown,
    // Ignores the tool's own hints: it may change and reach anything.
    annotations: { destructiveHint: true, openWorldHint: true },
    approval: 'always',
    asksItself: true,
    timeout: RUN_LIMIT_MS,
    input: schemaOf(inputSchema),
    call: async (input, { signal, approve }) => {
      await approve({ title: `Run the editor’s tool ${shown}` });
      const result = await invokeLanguageModelTool(
        languageModelTools,
        name,
        isObject(input) ? input : {},
        signal,
      ).catch((error: unknown) => {
        throw new ToolError(`${shown} failed: ${toolErrorReason(error)}.`, undefined, { cause: error });
      });
      return toResult(result);
    },
  };
}

/** MCP requires an object schema. */
function schemaOf(given: object | undefined): JsonObject {
  const schema: JsonObject = isObject(given) ? given : {};
  return schema['type'] === 'object' ? schema : { type: 'object' };
}

function toResult({ content }: vscode.LanguageModelToolResult): ToolResult {
  const parts = content.map(toContent);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { text, content: parts.length === 0 ? [{ type: 'text', text: 'It has answered nothing.' }] : parts };
}

function toContent(part: unknown) {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text' as const, text: part.value };
  if (part instanceof vscode.LanguageModelDataPart) {
    const { data, mimeType } = part;
    if (mimeType.startsWith('image/')) {
      return { type: 'image' as const, data: Buffer.from(data).toString('base64'), mimeType };
    }
    if (/^text\/|json/.test(mimeType)) return { type: 'text' as const, text: new TextDecoder().decode(data) };
    return { type: 'text' as const, text: `[${mimeType}, ${data.length} bytes]` };
  }
  const value = part instanceof vscode.LanguageModelPromptTsxPart ? part.value : part;
  return { type: 'text' as const, text: JSON.stringify(value) ?? '' };
}
