import { ParleyError, errorSentences } from '../../base/errors';
import { t } from '../../base/l10n';
import { conversationBlock } from '../../history/conversationText';
import type { Attachment } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import type { QueuedMessage } from '../../shared/state/messageQueueState';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import type { PromptFileStore } from '../promptFiles/promptFileStore';
import type { SessionModel } from '../sessionModel';
import { fitToCapabilities, promptCapabilities } from './promptContent';
import type { Message } from './promptContent';

/**
 * Reads attachments when their message is sent.
 * @throws ParleyError with a sentence for the user
 */
type AttachmentReader = (attachments: readonly Attachment[]) => Promise<readonly Block[]>;

/** Converts what the user typed and attached to what the agent gets. */
export class MessagePreparer {
  constructor(
    private readonly model: SessionModel,
    private readonly binding: AgentSessionBinding,
    private readonly prompts?: PromptFileStore,
    private readonly readAttachments: AttachmentReader = rejectAttachments,
  ) {}

  /**
   * Expands a prompt file and converts attachments for the agent.
   * @throws ParleyError when that fails
   */
  prepare(text: string, blocks: readonly Block[]): Message {
    const { state } = this.model;
    const expansion = this.prompts?.expand(text, state.commands);
    const link = this.binding.current?.link;
    // An agent without the earlier context gets the conversation.
    const all = state.hasUnknownEntries ? [conversationBlock(state), ...blocks] : blocks;
    const capabilities = link && promptCapabilities(link.connection.state);
    const fit = link && capabilities ? fitToCapabilities(all, capabilities, link.definition.title) : all;
    return { text, ...(expansion && { expansion }), blocks: fit };
  }

  /** Reads the attachments first. Never rejects. */
  async prepareQueued({
    text,
    attachments,
  }: QueuedMessage): Promise<{ readonly message: Message } | { readonly problem: string }> {
    try {
      const blocks = attachments.length === 0 ? [] : await this.readAttachments(attachments);
      return { message: this.prepare(text, blocks) };
    } catch (error) {
      return { problem: errorSentences(error) };
    }
  }
}

function rejectAttachments(): Promise<never> {
  return Promise.reject(new ParleyError('internal', t('Attachments cannot be read here')));
}
