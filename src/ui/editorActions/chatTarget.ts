import type { AttachmentService } from '../attachments/attachmentService';
import type { ChatPages } from '../chat/chatPages';

/** The chat as editor actions use it. */
export interface ChatTarget {
  readonly pages: Pick<ChatPages, 'compose' | 'attach'>;
  readonly attachmentService: Pick<AttachmentService, 'attachChosen' | 'attachTerminal' | 'allow'>;
}
