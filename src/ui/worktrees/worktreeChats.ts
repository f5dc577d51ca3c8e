import { CanceledError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { Attachment } from '../../shared/state/attachments';
import type { UnsentMessages } from '../messages/unsentMessages';
import { refuseDraft, withErrorMessage } from '../reportErrors';
import type { MessageAttachments, Chat, IntentSource, Notices } from '../window';
import type { WorktreeCreator } from './worktreeCreator';
import { workspaceFolder } from './worktreeCreator';

/** Files that a notice names. */
const MAX_NAMED = 12;

/** Chats in new worktrees. The commands never reject: errors are shown. */
export class WorktreeChats {
  constructor(
    private readonly creator: WorktreeCreator,
    private readonly sessions: Sessions,
    private readonly attachments: MessageAttachments,
    private readonly unsent: UnsentMessages,
    private readonly chat: Chat,
    private readonly notices: Notices,
  ) {}

  newChat(): Promise<void> {
    return withErrorMessage(async () => {
      const session = await this.#createChat('');
      void session?.warmStart.start();
    });
  }

  /** Sends a draft in a new worktree, to the same agent. A failure returns it to its page with the reason. */
  async send({ session, page }: IntentSource, text: string, attachments: readonly Attachment[]): Promise<void> {
    // A chat without messages becomes the new one, which has no preset at first.
    const { agent, preset } = session.state;
    try {
      const [fresh, blocks] = await this.unsent.keep(session, text, attachments, async () => {
        // Read first, so that nothing is created for a message that cannot be sent.
        await this.attachments.read(session, attachments);
        const created = await this.#createChat(text);
        if (!created) throw new CanceledError(t('Canceled'));
        if (preset) await created.choosePreset(preset);
        else if (agent) await created.chooseAgent(agent.name);
        return [created, await this.attachments.read(created, attachments)] as const;
      });
      await fresh.send(text, blocks, { attachments });
    } catch (error) {
      refuseDraft({ session, page }, text, attachments, error);
    }
  }

  /**
   * Creates a worktree and shows a chat in it.
   * @param words that name its branch
   * @returns undefined when the user canceled
   */
  async #createChat(words: string): Promise<Session | undefined> {
    const folder = await workspaceFolder();
    if (folder === undefined) return undefined;
    const { worktree, skipped } = await this.creator.create(folder, words, await this.creator.selectBase(folder));
    const session = this.sessions.newChat();
    this.creator.moveInto(worktree, session);
    await this.creator.assign(worktree, session);
    await this.chat.focus();
    if (skipped.length > 0) {
      const text = t('Large files and nested repositories were not copied into the worktree.');
      this.notices.show({ text, details: skipped.slice(0, MAX_NAMED) }, session.id);
    }
    return session;
  }
}
