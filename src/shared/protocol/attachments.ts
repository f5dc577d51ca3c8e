import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';

/** What goes to the agent beside the words of a message: chosen with `@`, dropped, pasted or picked. */

/** Lines of a text, both 1-based and inclusive. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** One thing that a message carries, as the page keeps it with the draft. The host reads its content when the message is sent. */
export type Attachment =
  | { readonly kind: 'file' | 'folder'; readonly uri: string; readonly label: string }
  /** Lines of a document; what they hold when the message is sent. */
  | { readonly kind: 'lines'; readonly uri: string; readonly label: string; readonly lines: LineRange }
  /** The file in the editor: named to the agent, not copied. */
  | { readonly kind: 'active'; readonly uri: string; readonly label: string }
  | { readonly kind: 'problems' | 'changes'; readonly label: string }
  /** `id` is that of an earlier session. */
  | { readonly kind: 'session'; readonly id: string; readonly label: string }
  /** Text that has no place of its own: what was selected in a terminal, a dropped file. */
  | { readonly kind: 'text'; readonly label: string; readonly text: string }
  /** Base64. */
  | { readonly kind: 'data'; readonly label: string; readonly mimeType: string; readonly data: string };

export type AttachmentKind = Attachment['kind'];

/** Where the host fetches attachments from when it is asked to. */
export type AttachmentSource = 'files' | 'terminal';

/** What `@` offers. */
export interface Mention {
  readonly label: string;
  readonly group: string;
  /** Where it is, or what it is. */
  readonly detail?: string;
  /** What choosing it attaches, or where that is fetched from. */
  readonly gives: Attachment | AttachmentSource;
}

/** What an agent takes in a prompt beside text and links (ACP: promptCapabilities). */
export interface PromptCapabilities {
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
}

/** Things that one message may carry. */
export const MAX_ATTACHMENTS = 50;
/** Bytes of one picture, sound or other binary file. Agents' services refuse more. */
export const MAX_DATA = 5_000_000;
/** UTF-16 units of a text that is put into the message; of a larger one only its place is told. */
export const MAX_EMBEDDED = 256_000;
/** UTF-16 units, base64, of all attachments together that a draft and a message hold. */
export const MAX_TOTAL = 20_000_000;

/** Two are the same thing when they have the same key. */
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

/** The text or the data that it holds itself. */
export function attachmentContent(attachment: Attachment): string {
  if (attachment.kind === 'text') return attachment.text;
  return attachment.kind === 'data' ? attachment.data : '';
}

/** `to` with those of `added` that are not in it yet. */
export function withAttachments(to: readonly Attachment[], added: readonly Attachment[]): readonly Attachment[] {
  const all = new Map(to.map((one) => [attachmentKey(one), one]));
  for (const one of added) if (!all.has(attachmentKey(one))) all.set(attachmentKey(one), one);
  return all.size === to.length ? to : [...all.values()];
}

/** Why an agent cannot be sent data of this type; one sentence, undefined when it can, or when that is not known yet. */
export function unsupportedReason(
  mimeType: string,
  abilities: PromptCapabilities | undefined,
  agent: string,
): string | undefined {
  if (!abilities) return undefined;
  if (mimeType.startsWith('image/')) return abilities.image ? undefined : t('{0} takes no images.', agent);
  if (mimeType.startsWith('audio/')) return abilities.audio ? undefined : t('{0} takes no audio.', agent);
  return abilities.embeddedContext ? undefined : t('{0} takes no files that are not text.', agent);
}
