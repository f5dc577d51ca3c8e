import type { MessageAttachments, Chat } from '../window';

/** The chat as editor actions use it. */
export interface ChatTarget {
  readonly chat: Chat;
  readonly attachments: MessageAttachments;
}
