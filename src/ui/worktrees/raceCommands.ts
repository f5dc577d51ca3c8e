import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { CanceledError } from '../../base/errors';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import { escapeIconSyntax } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { Attachment } from '../../shared/state/attachments';
import { showInformationMessage } from '../../workbench/windowMessages';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import { refuseDraft, withErrorMessage } from '../reportErrors';
import type { MessageAttachments, IntentSource, UiSettings } from '../window';
import type { RaceBoard } from './raceBoard';
import type { WorktreeCreator } from './worktreeCreator';
import { workspaceFolder } from './worktreeCreator';

const MIN_ATTEMPTS = 2;
const MAX_ATTEMPTS = 4;
const MAX_TITLE_CHARS = 60;
/** Of the same agent. */
const ATTEMPTS = ['', t('second attempt'), t('third attempt'), t('fourth attempt')];

/** "Race…": sends one message to several agents, each in its own git worktree. */
export class RaceCommands {
  /** @param board shows the races, the newest first */
  constructor(
    private readonly creator: WorktreeCreator,
    private readonly sessions: Sessions,
    private readonly attachments: MessageAttachments,
    private readonly settings: UiSettings,
    private readonly board: RaceBoard,
  ) {}

  /** Asks for the message. Never rejects. */
  promptForMessage(): Promise<void> {
    return withErrorMessage(async () => {
      const prompt = t('Each agent works in its own Git worktree. Compare the results, and take the best of each.');
      const options = { title: t('Race'), prompt, placeHolder: t('Message to all agents'), ignoreFocusOut: true };
      const text = await vscode.window.showInputBox(options);
      if (text !== undefined && text.trim() !== '') await this.#start(text, []);
    });
  }

  /** Sends a draft to several agents. A failure returns it to its page with the reason. */
  async send({ session, page }: IntentSource, text: string, attachments: readonly Attachment[]): Promise<void> {
    try {
      await this.#start(text, attachments);
    } catch (error) {
      refuseDraft({ session, page }, text, attachments, error);
    }
  }

  /** @throws ParleyError; all attempts are discarded then */
  async #start(text: string, attachments: readonly Attachment[]): Promise<void> {
    const { creator, sessions } = this;
    // Read first, so that nothing is created for a message that cannot be sent.
    await this.attachments.read(sessions.active, attachments);
    const agents = await this.#pickAgents();
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

  /** Each agent can be selected several times. */
  async #pickAgents(): Promise<readonly AgentDefinition[] | undefined> {
    const rows = ATTEMPTS.flatMap((description) =>
      this.settings.agents().map((agent) => ({ label: escapeIconSyntax(agent.title), description, agent })),
    );
    for (;;) {
      // Repeats until the number of selected agents is allowed.
      const picked = await vscode.window.showQuickPick(rows, {
        title: t('Race: select {0} to {1} agents', MIN_ATTEMPTS, MAX_ATTEMPTS),
        canPickMany: true,
        ignoreFocusOut: true,
      });
      if (!picked) return undefined;
      if (picked.length >= MIN_ATTEMPTS && picked.length <= MAX_ATTEMPTS) return picked.map(({ agent }) => agent);
      const sentence = t('Select {0} to {1} agents. You selected {2}.', MIN_ATTEMPTS, MAX_ATTEMPTS, picked.length);
      void showInformationMessage(sentence);
    }
  }
}
