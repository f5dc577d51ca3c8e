import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';

/** Attachments of a message: selected with `@`, dropped, pasted or picked. */

/** Lines of a text, both 1-based and inclusive. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** One attachment, as the page stores it with the draft. The host reads its content when the message is sent. */
export type Attachment =
  | { readonly kind: 'file' | 'folder'; readonly uri: string; readonly label: string }
  /** Lines of a document, with their content at the time of sending. */
  | { readonly kind: 'lines'; readonly uri: string; readonly label: string; readonly lines: LineRange }
  /** The file in the active editor: sent as a link without its content. */
  | { readonly kind: 'active'; readonly uri: string; readonly label: string }
  | { readonly kind: 'problems' | 'changes'; readonly label: string }
  /** `id` is that of an earlier session. */
  | { readonly kind: 'session'; readonly id: string; readonly label: string }
  /** Of an MCP server. */
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string; readonly label: string }
  /** Text without a URI: a terminal selection, a dropped file. */
  | { readonly kind: 'text'; readonly label: string; readonly text: string }
  /** Base64. */
  | { readonly kind: 'data'; readonly label: string; readonly mimeType: string; readonly data: string };

export type AttachmentKind = Attachment['kind'];

/** Where the host gets attachments on request. */
export type AttachmentSource = 'files' | 'terminal' | CommandSource | TemplateSource;

/** A command that the user ran in a terminal, by its number. */
type CommandSource = `command ${number}`;

/** A resource template, whose variables the host asks for: the JSON of its server and its pattern follow. */
type TemplateSource = `template ${string}`;

/** A completion item of `@`. */
export interface Mention {
  readonly label: string;
  readonly group: string;
  /** Location or kind of the item. */
  readonly detail?: string;
  /** The attachment that the item adds, or the source to get it from. */
  readonly gives: Attachment | AttachmentSource;
}

/** What an agent accepts in a prompt besides text and links (ACP: promptCapabilities). */
export interface PromptCapabilities {
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
}

/** Maximum number of attachments of a message. */
export const MAX_ATTACHMENTS = 50;
/** Maximum bytes of one image, audio or other binary file. Services of agents refuse larger ones. */
export const MAX_DATA = 5_000_000;
/** Maximum UTF-16 units of an embedded text; of a longer text only the location is sent. */
export const MAX_EMBEDDED = 256_000;
/** Maximum UTF-16 units (base64) of all attachments of a draft or message. */
export const MAX_TOTAL = 20_000_000;

/** Problems or Git changes, from the URI under which they are sent. */
export function contextOf(uri: string): Attachment | undefined {
  if (uri === 'parley:problems') return { kind: 'problems', label: t('Problems') };
  return uri === 'parley:git-changes' ? { kind: 'changes', label: t('Git changes') } : undefined;
}

/** Attachments with equal keys are duplicates. */
export function attachmentKey(attachment: Attachment): string {
  switch (attachment.kind) {
    case 'lines':
      return `${attachment.uri}#${attachment.lines.first}-${attachment.lines.last}`;
    case 'file':
    case 'folder':
    case 'active':
      return attachment.uri;
    case 'session':
      return `session:${attachment.id}`;
    case 'resource':
      return `resource:${attachment.server} ${attachment.uri}`;
    case 'problems':
    case 'changes':
      return attachment.kind;
    case 'text':
    case 'data':
      return `${attachment.kind}:${attachment.label}:${attachmentContent(attachment)}`;
    default:
      return assertNever(attachment);
  }
}

/** The attachment's own text or data. */
export function attachmentContent(attachment: Attachment): string {
  if (attachment.kind === 'text') return attachment.text;
  return attachment.kind === 'data' ? attachment.data : '';
}

/** `to` plus the attachments of `added` that it lacks. */
export function withAttachments(to: readonly Attachment[], added: readonly Attachment[]): readonly Attachment[] {
  const all = new Map(to.map((one) => [attachmentKey(one), one]));
  for (const one of added) if (!all.has(attachmentKey(one))) all.set(attachmentKey(one), one);
  return all.size === to.length ? to : [...all.values()];
}

/**
 * Why an agent does not support data of this type, in one sentence; undefined when it does, or when its capabilities
 * are unknown.
 */
export function unsupportedReason(
  mimeType: string,
  capabilities: PromptCapabilities | undefined,
  agent: string,
): string | undefined {
  if (!capabilities) return undefined;
  if (mimeType.startsWith('image/')) return capabilities.image ? undefined : t('{0} does not support images.', agent);
  if (mimeType.startsWith('audio/')) return capabilities.audio ? undefined : t('{0} does not support audio.', agent);
  return capabilities.embeddedContext ? undefined : t('{0} does not support binary files.', agent);
}
