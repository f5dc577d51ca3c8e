import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import { decodePercent } from '../../base/text';
import type { Attachment } from '../state/attachments';
import { contextOf, withAttachments } from '../state/attachments';
import type { Block } from '../state/contentBlocks';
import { isInstructions } from '../state/preset';

/** URI of an attached earlier conversation; no document exists there. */
export const CONVERSATION_URI = 'parley:conversation.md';
/** First line of that text, which identifies it where an agent accepts only plain text. */
export const CONVERSATION_TITLE = '# Conversation so far';

/** Whether a block contains the conversation before the agent joined the session. */
export function isPriorConversation(block: Block): boolean {
  if (block.type === 'resource') return block.uri === CONVERSATION_URI;
  return block.type === 'text' && block.text.includes(CONVERSATION_TITLE);
}

/** The user's attachments of a sent message, for sending again. Excludes what Parley added. */
export function messageAttachments(blocks: readonly Block[]): readonly Attachment[] {
  const all = blocks.flatMap((block) =>
    isPriorConversation(block) || isInstructions(block) ? [] : (attachmentOf(block) ?? []),
  );
  // One resource of a server can be several blocks.
  return withAttachments([], all);
}

function attachmentOf(block: Block): Attachment | undefined {
  if ('origin' in block && block.origin) return { kind: 'resource', ...block.origin, label: block.origin.uri };
  switch (block.type) {
    case 'link':
      return { kind: 'active', uri: block.uri, label: block.name };
    case 'image':
      return { kind: 'data', label: block.uri === undefined ? t('Image') : uriName(block.uri), ...dataOf(block) };
    case 'audio':
      return { kind: 'data', label: t('Audio'), ...dataOf(block) };
    case 'text':
      return { kind: 'text', label: firstWords(block.text), text: block.text };
    case 'resource':
      return resourceOf(block);
    case 'raw':
      return undefined;
    default:
      return assertNever(block);
  }
}

function resourceOf(block: Extract<Block, { type: 'resource' }>): Attachment | undefined {
  const { uri, text, blob, mimeType = 'application/octet-stream', isFile } = block;
  if (blob !== undefined) return { kind: 'data', label: uriName(uri), mimeType, data: blob };
  if (text === undefined) return undefined;
  // What an agent or server called by the name of a file is not read from there.
  if (!isFile) return contextOf(uri) ?? { kind: 'text', label: uriName(uri), text };
  const [, file = uri, first, last] = /^(.*)#L(\d+)-L(\d+)$/.exec(uri) ?? [];
  if (first === undefined) return { kind: 'file', uri, label: uriName(uri) };
  const lines = { first: Number(first), last: Number(last) };
  const label = first === last ? `${uriName(file)}:${first}` : `${uriName(file)}:${first}-${last}`;
  return { kind: 'lines', uri: file, label, lines };
}

function dataOf({ mimeType, data }: { readonly mimeType: string; readonly data: string }): {
  mimeType: string;
  data: string;
} {
  return { mimeType, data };
}

/** The last segment of a URI. */
function uriName(uri: string): string {
  return decodePercent(uri.slice(uri.lastIndexOf('/') + 1).replace(/^parley:/, '') || uri);
}

const MAX_LABEL_CHARS = 30;

function firstWords(text: string): string {
  const line = /\S.*/.exec(text)?.[0] ?? t('Text');
  return line.length > MAX_LABEL_CHARS ? `${line.slice(0, MAX_LABEL_CHARS)}…` : line;
}
