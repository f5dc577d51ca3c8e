import { ParleyError, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Attachment } from '../../shared/protocol/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import { entriesFrom } from '../../shared/state/entryPages';
import { messageAttachments } from '../../shared/text/priorConversation';
import type { AttachedSession } from '../agents/agentPool';
import { fitToCapabilities, promptCapabilities } from './promptContent';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import { conversationBlock } from '../../history/conversationText';
import type { PromptFileStore } from '../promptFiles/promptFileStore';
import type { MessageQueue } from './messageQueue';
import type { Message } from './steering';
import type { TurnRunner } from './turnRunner';

export interface SendingOptions {
  readonly session: AttachedSession;
  readonly binding: AgentSessionBinding;
  readonly turn: TurnRunner;
  /** The session's agent; sets the default when there is none. */
  readonly agentName: () => string;
  readonly queue: () => MessageQueue;
  readonly prompts?: Pick<PromptFileStore, 'expand'>;
  readonly now: () => number;
}

export interface SendOptions {
  /** The blocks are the attachments' content when they were read. */
  readonly attachments?: readonly Attachment[];
  /** Also while a turn runs: steers it where supported, else stops it first. */
  readonly now?: boolean;
}

export class PromptSender {
  readonly #options: SendingOptions;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** See `Session.send`. */
  async send(text: string, blocks: readonly Block[] = [], how: SendOptions = {}): Promise<void> {
    if (text.trim() === '' && blocks.length === 0) return;
    const { session, queue } = this.#options;
    const { turn } = session.state;
    const attachments = how.attachments ?? messageAttachments(blocks);
    if (turn.status !== 'running') return this.#prompt(text, blocks, attachments);
    const id = queue().add(text, attachments);
    // After Stop, a new message replaces the running prompt.
    if (how.now || turn.stopping) await queue().sendNow(id);
  }

  /** Sends the last prompt again with its attachments. Ignored while a turn runs. */
  async retry(): Promise<void> {
    const { state } = this.#options.session;
    if (state.turn.status === 'running') return;
    const prompt = Array.from(entriesFrom(state.entries))
      .toReversed()
      .find(([, entry]) => entry.kind === 'user')?.[1];
    if (prompt?.kind === 'user') await this.#prompt(prompt.text, prompt.blocks, messageAttachments(prompt.blocks));
  }

  /**
   * Expands a prompt file and converts attachments for the agent.
   * @throws ParleyError when that fails
   */
  prepare(text: string, blocks: readonly Block[]): Message {
    const { prompts, session, binding } = this.#options;
    const expansion = prompts?.expand(text, session.state.commands);
    const link = binding.current?.link;
    const all = this.#withConversation(blocks);
    const abilities = link && promptCapabilities(link.connection.state);
    const fit = link && abilities ? fitToCapabilities(all, abilities, link.definition.title) : all;
    return { text, ...(expansion && { expansion }), blocks: fit };
  }

  /** Never rejects. */
  async run(message: Message): Promise<void> {
    const { turn, agentName } = this.#options;
    await turn.run(agentName(), message);
  }

  /** Why a message was not sent and what to do, as a sentence. */
  sentence(error: unknown): string {
    const next = ParleyError.is(error) ? error.nextStep : undefined;
    return [errorMessage(error), next].filter(Boolean).join('. ');
  }

  async #prompt(text: string, blocks: readonly Block[], attachments: readonly Attachment[]): Promise<void> {
    let message: Message;
    try {
      message = this.prepare(text, blocks);
    } catch (error) {
      this.#giveBack(this.sentence(error), text, attachments);
      return;
    }
    await this.run(message);
  }

  /** An agent without the earlier context gets the conversation. */
  #withConversation(blocks: readonly Block[]): readonly Block[] {
    const { state } = this.#options.session;
    return state.carries ? [conversationBlock(state), ...blocks] : blocks;
  }

  /** Puts a message that was not sent into the queue for editing. */
  #giveBack(reason: string, text: string, attachments: readonly Attachment[]): void {
    const { session, queue, now } = this.#options;
    const title = t('Not sent: {0}', reason);
    const hint = t('The message waits below: change it, or remove it.');
    session.dispatch({ type: 'noticeShown', severity: 'warning', title, text: hint, at: now() });
    queue().refused(text, attachments, reason);
  }
}
