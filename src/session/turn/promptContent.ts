import type { AgentState } from '../../agent/connection/agentLaunch';
import { assertNever } from '../../base/assert';
import { ParleyError } from '../../base/errors';
import { asObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { decodePercent } from '../../base/text';
import type { PromptCapabilities } from '../../shared/state/attachments';
import { unsupportedReason } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import type { PromptExpansion } from '../../shared/state/sessionState';

/** A typed message and its expansion. */
export interface Message {
  readonly text: string;
  readonly expansion?: PromptExpansion;
  /** Attachments, adapted to the agent's capabilities as far as they are known. */
  readonly blocks: readonly Block[];
}

/** The text that the agent gets. */
export function promptText({ text, expansion }: Message): string {
  return expansion?.text ?? text;
}

/**
 * Parses `agentCapabilities.promptCapabilities`; missing ones are unsupported (https://agentclientprotocol.com/protocol/initialization).
 * Undefined while the agent does not run.
 */
export function promptCapabilities(state: AgentState): PromptCapabilities | undefined {
  if (state.status !== 'ready') return undefined;
  const can = asObject(state.info.capabilities['promptCapabilities']);
  return {
    image: can?.['image'] === true,
    audio: can?.['audio'] === true,
    embeddedContext: can?.['embeddedContext'] === true,
  };
}

/**
 * Converts attachments for the agent: without `embeddedContext` or `image` a block becomes a link if it has a URI, else text (every agent
 * supports text and links).
 * @throws ParleyError `badInput` that names what the agent does not support
 */
export function fitToCapabilities(
  blocks: readonly Block[],
  capabilities: PromptCapabilities,
  agent: string,
): readonly Block[] {
  return blocks.map((block) => fit(block, capabilities, agent));
}

function fit(block: Block, capabilities: PromptCapabilities, agent: string): Block {
  const mimeType = block.type === 'image' || block.type === 'audio' ? block.mimeType : undefined;
  const why = mimeType === undefined ? undefined : unsupportedReason(mimeType, capabilities, agent);
  if (why !== undefined && block.type === 'image' && block.uri !== undefined && !block.origin) {
    return { type: 'link', uri: block.uri, name: nameIn(block.uri), ...omitUndefined({ mimeType }) };
  }
  if (why !== undefined) throw unsupportedContentError(why);
  if (block.type !== 'resource' || capabilities.embeddedContext) return block;
  const name = nameIn(block.uri);
  if (hasPlace(block.uri) && !block.origin)
    return { type: 'link', uri: block.uri, name, ...omitUndefined({ mimeType: block.mimeType }) };
  if (block.text === undefined) throw unsupportedContentError(t('{0} does not support binary files.', agent));
  return { type: 'text', text: `${name}:\n\n${block.text}` };
}

function unsupportedContentError(why: string): ParleyError {
  return new ParleyError('badInput', why, { nextStep: t('Remove the attachment, or select another agent.') });
}

/** Prefix of URIs without a file, such as of a diff. */
const OWN_PREFIX = 'parley:';

/** False for Parley's own URIs, which cannot be opened. */
function hasPlace(uri: string): boolean {
  return !uri.startsWith(OWN_PREFIX);
}

function nameIn(uri: string): string {
  const last = hasPlace(uri) ? uri.slice(uri.lastIndexOf('/') + 1) || uri : uri.slice(OWN_PREFIX.length);
  return decodePercent(last);
}

/** The prompt's content blocks: the text first, then attachments. */
export function toPrompt(text: string, blocks: readonly Block[]): JsonObject[] {
  const textContent = text.trim() === '' && blocks.length > 0 ? [] : [{ type: 'text', text }];
  return [...textContent, ...blocks.map(toWire)];
}

function toWire(block: Block): JsonObject {
  switch (block.type) {
    case 'link':
      return { ...block, type: 'resource_link' };
    case 'resource': {
      const { type, origin: _origin, isFile: _isFile, ...resource } = block;
      return { type, resource };
    }
    case 'raw':
      return asObject(block.value) ?? { type: 'text', text: JSON.stringify(block.value) };
    case 'image': {
      const { origin: _origin, ...image } = block;
      return image;
    }
    case 'text':
    case 'audio':
      return { ...block };
    default:
      return assertNever(block);
  }
}
