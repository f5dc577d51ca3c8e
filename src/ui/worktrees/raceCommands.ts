import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { CanceledError } from '../../base/errors';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import { escapeIconSyntax } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { Attachment } from '../../shared/state/attachments';
import { showInformationMessage, withProgress } from '../../workbench/windowMessages';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import { refuseDraft, withErrorMessage } from '../reportErrors';
import type { IntentSource, UiSettings, WorktreeSettings } from '../uiTypes';
import type { RaceBoard } from './raceBoard';
import type { WorktreeCommandDeps, WorktreeCommands } from './worktreeCommands';
import { includedFiles } from './worktreeCommands';

const MIN_ATTEMPTS = 2;
const MAX_ATTEMPTS = 4;
const MAX_TITLE_CHARS = 60;
/** Of the same agent. */
const ATTEMPTS = ['', t('second attempt'), t('third attempt'), t('fourth attempt')];

interface RaceDeps extends Pick<WorktreeCommandDeps, 'worktrees' | 'sessions' | 'setup' | 'attachmentService'> {
  readonly commands: Pick<WorktreeCommands, 'workspaceFolder'>;
  readonly settings: Pick<UiSettings, 'agents'> & WorktreeSettings;
  /** Shows the races, the newest first. */
  readonly board: Pick<RaceBoard, 'show'>;
}

/** "Race…": sends one message to several agents, each in its own git worktree. */
export class RaceCommands {
  constructor(private readonly deps: RaceDeps) {}

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
    const { commands, worktrees, setup, sessions, attachmentService } = this.deps;
    // Read first, so that nothing is created for a message that cannot be sent.
    await attachmentService.read(sessions.active, attachments);
    const agents = await this.#pickAgents();
    const folder = agents && (await commands.workspaceFolder());
    if (!agents || !folder) throw new CanceledError(t('Canceled'));
    const race = { id: randomUUID(), title: truncate(firstLine(text), MAX_TITLE_CHARS) };
    const records = await this.#createAll(folder, text, race, agents.length);
    const attempts = agents.map((agent, at) => {
      const before = agents.slice(0, at).filter(({ name }) => name === agent.name).length;
      const title = `${race.title} · ${agent.title}${before === 0 ? '' : ` ${before + 1}`}`;
      return this.#attempt(agent.name, title, records[at]);
    });
    try {
      for (const { session, record } of attempts) await worktrees.assign(record.id, session.id);
      const blocks = await Promise.all(attempts.map(({ session }) => attachmentService.read(session, attachments)));
      for (const { record } of attempts) setup.start(worktrees.workingFolder(record));
      // Errors become entries of the session.
      for (const [at, { session }] of attempts.entries()) void session.send(text, blocks[at] ?? [], { attachments });
    } catch (error) {
      for (const { session } of attempts) session.setFolder(undefined);
      await this.#discardAll(records);
      throw error;
    }
    this.deps.board.show();
  }

  #attempt(
    agent: string,
    title: string,
    record: WorktreeRecord | undefined,
  ): { readonly session: Session; readonly record: WorktreeRecord } {
    if (!record) throw new Error('One worktree for each agent');
    const { worktrees, sessions } = this.deps;
    const session = sessions.open.create(randomUUID());
    session.setAgent(agent);
    session.setFolder(worktrees.workingFolder(record), record.branch);
    session.dispatch({ type: 'sessionRenamed', title });
    return { session, record };
  }

  async #createAll(
    folder: vscode.WorkspaceFolder,
    message: string,
    race: WorktreeRecord['race'],
    count: number,
  ): Promise<readonly WorktreeRecord[]> {
    const { worktrees, settings } = this.deps;
    const title = t('Creating {0} worktrees of “{1}”…', count, escapeIconSyntax(folder.name));
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    const created: WorktreeRecord[] = [];
    try {
      await withProgress(options, async (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        const request = {
          folder: folder.uri.fsPath,
          text: message,
          include: includedFiles(settings),
          ...(race && { race }),
        };
        for (let at = 1; at <= count; at++) {
          progress.report({ message: t('{0} of {1}', at, count) });
          // One at a time, because git locks the repository.
          created.push((await worktrees.create(request, abort.signal)).worktree);
        }
      });
      return created;
    } catch (error) {
      await this.#discardAll(created);
      throw error;
    }
  }

  /** What cannot be discarded now stays in the list. Never rejects. */
  async #discardAll(records: readonly WorktreeRecord[]): Promise<void> {
    await Promise.allSettled(records.map(({ id }) => this.deps.worktrees.discard(id)));
  }

  /** Each agent can be selected several times. */
  async #pickAgents(): Promise<readonly AgentDefinition[] | undefined> {
    const rows = ATTEMPTS.flatMap((description) =>
      this.deps.settings.agents().map((agent) => ({ label: escapeIconSyntax(agent.title), description, agent })),
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
