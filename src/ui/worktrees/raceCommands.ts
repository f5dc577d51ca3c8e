import { randomUUID } from 'node:crypto';
import { CanceledError } from '../../base/errors';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { Attachment } from '../../shared/state/attachments';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { UnsentMessages } from '../messages/unsentMessages';
import { refuseDraft, withErrorMessage } from '../reportErrors';
import type { Chat, MessageAttachments, IntentSource, UiSettings } from '../window';
import { pickRaceAgents } from './raceAgentPicker';
import type { RaceBoard } from './raceBoard';
import type { WorktreeCreator } from './worktreeCreator';
import { workspaceFolder } from './worktreeCreator';

const MAX_TITLE_CHARS = 60;

/** "Race…": sends one message to several agents, each in its own git worktree. */
export class RaceCommands {
  /** @param board shows the races, the newest first */
  constructor(
    private readonly creator: WorktreeCreator,
    private readonly sessions: Sessions,
    private readonly attachments: MessageAttachments,
    private readonly unsent: UnsentMessages,
    private readonly settings: UiSettings,
    private readonly board: RaceBoard,
    private readonly chat: Chat,
  ) {}

  /**
   * Lets the user write the message in a chat, which then calls {@link send}. Never rejects.
   * @param text of a key binding: a message that is sent at once
   */
  start(text?: unknown): Promise<void> {
    return withErrorMessage(async () => {
      if (typeof text === 'string' && text.trim() !== '') return this.#start(text, []);
      const { active } = this.sessions;
      // An imported session has no message box.
      const session = active.state.imported ? this.sessions.newChat() : active;
      return this.chat.fill(session, '', [], 'race');
    });
  }

  /** Sends a draft to several agents. A failure returns it to its page with the reason. */
  async send({ session, page }: IntentSource, text: string, attachments: readonly Attachment[]): Promise<void> {
    try {
      await this.unsent.keep(session, text, attachments, () => this.#start(text, attachments));
    } catch (error) {
      refuseDraft({ session, page }, text, attachments, error);
      // The next Enter must not send it to the session.
      page.post({ type: 'fillComposer', session: session.id, text: '', remarks: [], to: 'race' });
    }
  }

  /** @throws ParleyError; all attempts are discarded then */
  async #start(text: string, attachments: readonly Attachment[]): Promise<void> {
    const { creator, sessions } = this;
    // Read first, so that nothing is created for a message that cannot be sent.
    await this.attachments.read(sessions.active, attachments);
    const agents = await pickRaceAgents(this.settings.agents(), firstLine(text));
    const folder = agents && (await workspaceFolder());
    if (!agents || !folder) throw new CanceledError(t('Canceled'));
    const race = { id: randomUUID(), title: truncate(firstLine(text), MAX_TITLE_CHARS) };
    const records = await creator.createRace(folder, text, race, agents.length);
    const attempts = agents.map((agent, at) => {
      const before = agents.slice(0, at).filter(({ name }) => name === agent.name).length;
      const title = `${race.title} · ${agent.title}${before === 0 ? '' : ` ${before + 1}`}`;
      return this.#attempt(agent.name, title, records[at]);
    });
    try {
      for (const { session, record } of attempts) await creator.assign(record, session);
      const blocks = await Promise.all(attempts.map(({ session }) => this.attachments.read(session, attachments)));
      for (const { record } of attempts) creator.startSetup(record);
      // Errors become entries of the session.
      for (const [at, { session }] of attempts.entries()) void session.send(text, blocks[at] ?? [], { attachments });
    } catch (error) {
      for (const { session } of attempts) session.setFolder(undefined);
      await creator.discardAll(records);
      throw error;
    }
    this.board.show();
  }

  #attempt(
    agent: string,
    title: string,
    record: WorktreeRecord | undefined,
  ): { readonly session: Session; readonly record: WorktreeRecord } {
    if (!record) throw new Error('One worktree for each agent');
    const session = this.sessions.open.create(randomUUID());
    session.setAgent(agent);
    this.creator.moveInto(record, session);
    session.dispatch({ type: 'sessionRenamed', title });
    return { session, record };
  }
}
