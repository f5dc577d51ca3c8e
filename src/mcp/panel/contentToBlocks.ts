import type { JsonObject } from '../../base/json';
import { asArray, asString, isObject, omitUndefined } from '../../base/json';
import { truncate } from '../../base/text';
import { matchesParts } from '../../permissions/rules/wildcard';
import { toBlock } from '../../session/translate/translateContent';
import { MAX_EMBEDDED } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';

/** Whether a URI can be of a URI template. */
export function matchesTemplate(pattern: string, uri: string): boolean {
  return matchesParts(pattern.split(/\{[^{}]*\}/), uri);
}

/** @param given text, or MCP's contents of `resources/read` */
export function toResourceBlocks(given: unknown, uri: string): readonly Block[] {
  const contents = typeof given === 'string' ? [{ uri, text: given }] : asArray(given).filter(isObject);
  return contents.map((one) => toResourceBlock(one, uri));
}

function toResourceBlock({ uri: given, mimeType, text, blob }: JsonObject, requested: string): Block {
  const uri = asString(given) ?? requested;
  const type = asString(mimeType);
  if (typeof text === 'string')
    return { type: 'resource', uri, text: truncate(text, MAX_EMBEDDED), ...omitUndefined({ mimeType: type }) };
  const data = asString(blob) ?? '';
  if (type?.startsWith('image/') === true) return { type: 'image', data, mimeType: type, uri };
  return { type: 'resource', uri, blob: data, ...omitUndefined({ mimeType: type }) };
}

/** A prompt as one text, where several messages name their speaker, and what is no text. */
export function toPromptContent(result: JsonObject): { readonly text: string; readonly blocks: readonly Block[] } {
  const messages = asArray(result['messages']).filter(isObject);
  const parts = messages.map(({ role, content }) => ({ role, block: toBlock(content) }));
  const hasAnswers = parts.some(({ role }) => role === 'assistant');
  const texts = parts.flatMap(({ role, block }) => {
    if (block.type !== 'text') return [];
    return [hasAnswers ? `${role === 'assistant' ? 'Assistant' : 'User'}: ${block.text}` : block.text];
  });
  return {
    text: truncate(texts.join('\n\n'), MAX_EMBEDDED),
    blocks: parts.flatMap(({ block }) => (block.type === 'text' ? [] : [block])),
  };
}
