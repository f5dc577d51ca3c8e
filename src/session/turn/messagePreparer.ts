import { ParleyError, errorSentences } from '../../base/errors';
import { t } from '../../base/l10n';
import { conversationBlock } from '../../history/conversationText';
import type { Attachment } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import type { QueuedMessage } from '../../shared/state/messageQueueState';
import { isInstructions } from '../../shared/state/preset';
import type { PromptExpansion } from '../../shared/state/sessionState';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import type { PromptFileStore } from '../promptFiles/promptFileStore';
import type { ServerPrompt } from '../serverContent';
import { findServerPrompt } from '../serverContent';
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
    private readonly serverPrompts: () => readonly ServerPrompt[] = () => [],
  ) {}

  /** Whether a server has to be asked for the text, which takes time. */
  isServerPrompt(text: string): boolean {
    return findServerPrompt(text, this.serverPrompts(), this.model.state.commands) !== undefined;
  }

  /**
   * Expands a prompt file and converts attachments for the agent.
   * @throws ParleyError when that fails
   */
  prepare(
    text: string,
    blocks: readonly Block[],
    expansion = this.prompts?.expand(text, this.model.state.commands),
  ): Message {
    const { state } = this.model;
    const link = this.binding.current?.link;
    // An agent without the earlier context gets the conversation.
    const own = blocks.filter((block) => !isInstructions(block));
    const all = state.hasUnknownEntries ? [conversationBlock(state), ...own] : own;
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
      const given = await this.#askServer(text);
      return {
        message: given ? this.prepare(text, [...blocks, ...given.blocks], given.expansion) : this.prepare(text, blocks),
      };
    } catch (error) {
      return { problem: errorSentences(error) };
    }
  }

  async #askServer(
    typed: string,
  ): Promise<{ readonly expansion: PromptExpansion; readonly blocks: readonly Block[] } | undefined> {
    const found = findServerPrompt(typed, this.serverPrompts(), this.model.state.commands);
    if (!found) return undefined;
    const { prompt, values } = found;
    const { text, blocks } = await prompt.get(values);
    return { expansion: { name: prompt.command, label: t('Prompt of {0}', prompt.server), text }, blocks };
  }
}

function rejectAttachments(): Promise<never> {
  return Promise.reject(new ParleyError('internal', t('Attachments cannot be read here')));
}
