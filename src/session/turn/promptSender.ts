import { errorSentences } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Attachment } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import { entriesFrom } from '../../shared/state/entryPages';
import type { SessionState, UserEntry } from '../../shared/state/sessionState';
import { messageAttachments } from '../../shared/text/priorConversation';
import type { SendOptions } from '../session';
import type { SessionModel } from '../sessionModel';
import type { MessagePreparer } from './messagePreparer';
import type { MessageQueue } from './messageQueue';
import type { Message } from './promptContent';
import type { SessionBudget } from './sessionBudget';
import type { TurnRunner } from './turnRunner';

/** Sends messages of the user: as a prompt, or through the queue while a turn runs. */
export class PromptSender {
  constructor(
    private readonly model: SessionModel,
    private readonly queue: MessageQueue,
    private readonly turn: TurnRunner,
    private readonly preparer: MessagePreparer,
    private readonly budget: SessionBudget | undefined,
  ) {}

  /** See `Session.send`. */
  async send(text: string, blocks: readonly Block[], options: SendOptions): Promise<void> {
    if (text.trim() === '' && blocks.length === 0) return;
    const { turn } = this.model.state;
    const attachments = options.attachments ?? messageAttachments(blocks);
    if (turn.status !== 'running') return this.#prompt(text, blocks, attachments);
    const id = this.queue.add(text, attachments);
    if (options.next) this.model.dispatch({ type: 'queuedNext', id });
    // After Stop, a new message replaces the running prompt.
    if (options.now || turn.stopping) await this.queue.sendNow(id);
  }

  /** Sends the last prompt again with its attachments. Ignored while a turn runs. */
  async retry(): Promise<void> {
    const { state } = this.model;
    if (state.turn.status === 'running') return;
    const prompt = this.turn.lastPrompt ?? lastMessage(state.entries);
    if (prompt) await this.#prompt(prompt.text, prompt.blocks, messageAttachments(prompt.blocks));
  }

  async #prompt(text: string, blocks: readonly Block[], attachments: readonly Attachment[]): Promise<void> {
    // The queue holds the message back while a budget is checked or a server is asked, and if that fails.
    if (this.budget?.isSet || this.preparer.isServerPrompt(text))
      return this.queue.sendNow(this.queue.add(text, attachments));
    let message: Message;
    try {
      message = this.preparer.prepare(text, blocks);
    } catch (error) {
      this.#queueUnsent(errorSentences(error), text, attachments);
      return;
    }
    await this.turn.run(message);
  }

  /** Puts a message that was not sent into the queue for editing. */
  #queueUnsent(reason: string, text: string, attachments: readonly Attachment[]): void {
    const title = t('Not sent: {0}', reason);
    const hint = t('Edit or remove the message in the queue below.');
    this.model.showNotice('warning', title, hint);
    this.queue.addUnsent(text, attachments, reason);
  }
}

/** Of the user, as the agent or the store tells it. */
function lastMessage(entries: SessionState['entries']): UserEntry | undefined {
  const found = Array.from(entriesFrom(entries)).findLast(([, entry]) => entry.kind === 'user')?.[1];
  return found?.kind === 'user' ? found : undefined;
}
