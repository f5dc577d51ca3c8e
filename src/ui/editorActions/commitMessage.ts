import { relative } from 'node:path';
import * as vscode from 'vscode';
import { DEMO_AGENT } from '../../agent/config/agentSettings';
import { systemClock } from '../../base/clock';
import { ParleyError, errorMessage, errorSentences, isCancellation } from '../../base/errors';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { firstLine } from '../../base/text';
import { plainLabel } from '../../base/untrustedText';
import { promptOnce } from '../../session/agents/oneShotPrompt';
import type { Sessions } from '../../session/sessions';
import { showErrorMessage, showInformationMessage, withCancellableProgress } from '../../workbench/windowMessages';
import { localFolders, workingFolder } from '../../workbench/workspaceFolders';
import type { Repository } from '../attachments/gitChanges';
import { activateRepositories, repositoryOf, untrackedFiles } from '../attachments/gitChanges';
import type { Agents, Chat, UiSettings } from '../window';
import { extractCommitMessage, commitPrompt, repositoryFolder } from './commitPrompt';

/** An agent for one-shot prompts outside the chats. */
interface OneShotAgent {
  readonly name: string;
  readonly title: string;
  /** The scripted demo agent, which cannot answer prompts. */
  readonly isScripted: boolean;
}

/** Number of recent commits whose style a message follows. */
const RECENT_COMMITS = 8;

/**
 * "Write Commit Message" of the Source Control view: fills git's message box from the staged changes. Does not commit.
 */
export class CommitMessage {
  /** Folders of repositories with a message in progress. */
  readonly #busy = new Set<string>();

  constructor(
    private readonly agents: Agents,
    private readonly settings: UiSettings,
    private readonly sessions: Sessions,
    private readonly chat: Chat,
    private readonly log: Logger,
  ) {}

  /** @param target the source control of the menu, if any */
  async write(target?: unknown): Promise<void> {
    const repository = await chooseRepository(target);
    if (!repository || this.#busy.has(repository.rootUri.fsPath)) return;
    const agent = this.#agent();
    if (!agent || agent.isScripted) return offerAgents(agent);
    this.#busy.add(repository.rootUri.fsPath);
    try {
      await this.#writeFor(repository, agent);
    } catch (error) {
      if (!isCancellation(error)) this.#reportFailure(agent, error);
    } finally {
      this.#busy.delete(repository.rootUri.fsPath);
    }
    if (target === undefined) await vscode.commands.executeCommand('workbench.view.scm');
  }

  async #writeFor(repository: Repository, agent: OneShotAgent): Promise<void> {
    // Includes files that were just staged in a terminal.
    await repository.status();
    const isStaged = repository.state.indexChanges.length > 0;
    const untracked = isStaged ? [] : untrackedFiles(repository);
    const diff = await repository.diff(isStaged);
    if (diff.trim() === '' && untracked.length === 0) {
      void showInformationMessage(t('There are no changes to commit.'));
      return;
    }
    const typedBefore = repository.inputBox.value;
    const root = repository.rootUri.fsPath;
    const names = untracked.map(({ fsPath }) => relative(root, fsPath));
    const recent = await recentSubjects(repository);
    const prompt = commitPrompt({ diff, untracked: names, recent, typedBefore: typedBefore.trim() });
    const title = isStaged
      ? t('{0} is writing a commit message for the staged changes…', agent.title)
      : t('{0} is writing a commit message for all changes because nothing is staged…', agent.title);
    const answer = await withCancellableProgress(title, (signal) => this.#promptOnce(agent.name, prompt, root, signal));
    // Not awaited: the notification stays open until the user closes it.
    void fillMessageBox(repository, typedBefore, messageFrom(answer, agent));
  }

  /** The agent of a new chat; undefined until one was selected. */
  #agent(): OneShotAgent | undefined {
    const name = this.agents.lastUsed.initialAgent();
    const agent = this.settings.agents().find((one) => one.name === name);
    return agent && { name: agent.name, title: agent.title, isScripted: agent.name === DEMO_AGENT };
  }

  async #openChat(agentName: string): Promise<void> {
    this.sessions.newChat(agentName);
    await this.chat.focus();
  }

  /**
   * Sends a prompt outside any chat, without tools or permissions.
   * @param root of the repository
   */
  #promptOnce(agentName: string, prompt: string, root: string, signal: AbortSignal): Promise<string> {
    return promptOnce(prompt, {
      agents: this.agents.pool,
      agentName,
      cwd: repositoryFolder(root, localFolders()) ?? workingFolder(),
      clock: systemClock,
      log: this.log,
      signal,
      onDidOpen: (agentSessionId) => this.sessions.store.markDeleted(agentName, agentSessionId),
    });
  }

  #reportFailure(agent: OneShotAgent, error: unknown): void {
    this.log.error('ui', `Failed to write a commit message: ${errorMessage(error)}`, error);
    const why = errorSentences(error);
    const sentence = t('{0} did not write a commit message: {1}', agent.title, why);
    const needsSignIn = ParleyError.is(error, 'signInRequired');
    const button = needsSignIn ? t('Sign In') : t('Show Log');
    // A chat with an agent that requires sign-in shows the sign-in methods.
    const signIn = (): Promise<void> => this.#openChat(agent.name);
    void offer(sentence, button, needsSignIn ? signIn : showLog);
  }
}

async function showLog(): Promise<void> {
  await vscode.commands.executeCommand('parley.showLog');
}

/** Shows an error with a button. */
async function offer(sentence: string, button: string, onPress: () => Promise<void>): Promise<void> {
  if ((await showErrorMessage(sentence, button)) === button) await onPress();
}

function messageFrom(answer: string, { title }: OneShotAgent): string {
  const message = extractCommitMessage(answer);
  if (message !== '') return message;
  throw new ParleyError('agentRefused', t('{0} returned an empty answer.', title));
}

/** No suitable agent: the user selects one and retries. */
async function offerAgents(scripted: OneShotAgent | undefined): Promise<void> {
  const sentence = scripted
    ? t('{0} is scripted and cannot write commit messages. Select another agent.', scripted.title)
    : t('Select an agent to write the commit message.');
  const choose = t('Select Agent');
  if ((await showInformationMessage(sentence, choose)) !== choose) return;
  await vscode.commands.executeCommand('parley.selectAgent');
}

/** Fills the message box, unless the user has typed meanwhile; the previous text can be restored. */
async function fillMessageBox({ inputBox }: Repository, typedBefore: string, message: string): Promise<void> {
  if (inputBox.value === typedBefore) {
    inputBox.value = message;
    if (typedBefore.trim() === '' || message.includes(typedBefore.trim())) return;
    const undo = t('Undo');
    const pressed = await showInformationMessage(t('The commit message was replaced.'), undo);
    if (pressed === undo && inputBox.value === message) inputBox.value = typedBefore;
    return;
  }
  const typed = inputBox.value;
  const [replace, copy] = [t('Replace'), t('Copy')];
  const sentence = t('The commit message was not replaced because you edited it in the meantime.');
  const pressed = await showInformationMessage(sentence, replace, copy);
  if (pressed === copy) await vscode.env.clipboard.writeText(message);
  if (pressed === replace && inputBox.value === typed) inputBox.value = message;
}

async function recentSubjects(repository: Repository): Promise<string[]> {
  try {
    return (await repository.log({ maxEntries: RECENT_COMMITS })).map(({ message }) => firstLine(message));
  } catch {
    // A repository without commits has no log.
    return [];
  }
}

/** The repository of the menu, of the active file, or the one that the user picks. */
async function chooseRepository(target: unknown): Promise<Repository | undefined> {
  const all = await activateRepositories();
  const root = isObject(target) && target['rootUri'] instanceof vscode.Uri ? target['rootUri'].toString() : undefined;
  const active = vscode.window.activeTextEditor?.document.uri;
  const match = all.find(({ rootUri }) => rootUri.toString() === root) ?? (active && repositoryOf(active));
  if (match || all.length === 1) return match ?? all[0];
  if (all.length === 0) {
    void showInformationMessage(t('No Git repository is open in this window.'));
    return undefined;
  }
  const items = all.map((repository) => ({
    label: plainLabel(vscode.workspace.asRelativePath(repository.rootUri)),
    description: plainLabel(repository.rootUri.fsPath),
    repository,
  }));
  const placeHolder = t('Select a repository for the commit message');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.repository;
}
