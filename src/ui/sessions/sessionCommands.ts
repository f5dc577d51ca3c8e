import * as vscode from 'vscode';
import { resumeCommand } from '../../agent/quirks/resumeCommand';
import { ParleyError } from '../../base/errors';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionListItem } from '../../history/sessionSummary';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import type { ShowNotice } from '../../workbench/notice';
import { showInformationMessage, showInputBox, showWarningMessage } from '../../workbench/windowMessages';
import { withErrorMessage } from '../reportErrors';
import type { Chat } from '../window';
import { openAndShow, sessionIdOf } from './sessionTarget';
import type { SessionTree } from './sessionTree';

/**
 * The commands on sessions. Each takes a session id or a tree node; without an argument it applies to the last used
 * session. They never reject: errors are shown as notifications.
 */
export class SessionCommands {
  constructor(
    private readonly catalog: SessionCatalog,
    private readonly pages: Chat,
    private readonly showNotice: ShowNotice,
    private readonly sessions: Sessions,
    private readonly tree: SessionTree,
  ) {}

  rename(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      const title = await showInputBox({
        title: t('Rename Session'),
        value: item.title,
        prompt: t('Enter a new session title'),
        validateInput: (value) => (value.trim() === '' ? t('The title cannot be empty.') : undefined),
      });
      if (title !== undefined && title.trim() !== '') await this.catalog.rename(item.id, title);
    });
  }

  async stop(target?: unknown): Promise<void> {
    const id = sessionIdOf(target);
    const session = id === undefined ? this.sessions.active : this.sessions.allOpen().find((one) => one.id === id);
    session?.turn.stop();
  }

  /** Closes the session; asks before it stops a running turn. */
  archive(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      if (isAtWork(item) && !(await mayArchive(item))) return;
      const { id, title } = item;
      const showAgain = this.pages.rememberLocation(id);
      await this.catalog.setArchived(id, true);
      // Not awaited: the notification may stay open.
      void withErrorMessage(async () => {
        const isUndone = await offerUndo(t('“{0}” was archived.', escapeInvisibleInline(title)));
        if (!isUndone) return;
        await this.catalog.setArchived(id, false);
        if (showAgain) await openAndShow(this.catalog, id, showAgain);
      });
    });
  }

  unarchive(target?: unknown): Promise<void> {
    return this.#on(target, ({ id }) => this.catalog.setArchived(id, false));
  }

  /**
   * The notification offers Undo. Asks before it stops a running turn, and when it was started by a key, because the
   * row is then not visible in the command.
   */
  delete(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      if (isAtWork(item) ? !(await mayStop(item)) : isOfKey(target) && !(await mayDelete(item))) return;
      const showAgain = this.pages.rememberLocation(item.id);
      await this.catalog.hide(item.id);
      void withErrorMessage(async () => {
        const isUndone = await offerUndo(t('“{0}” was deleted.', escapeInvisibleInline(item.title)));
        if (!isUndone) return this.catalog.remove(item.id);
        this.catalog.unhide(item.id);
        if (showAgain) await openAndShow(this.catalog, item.id, showAgain);
      });
    });
  }

  fork(target?: unknown): Promise<void> {
    return this.#on(target, async ({ id }) => {
      await this.catalog.fork(id);
      await this.pages.focus();
    });
  }

  /** Copies the command line that continues the session in a terminal. */
  copyResumeCommand(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      const { command, cwd } = resumeCommandOf(item);
      await vscode.env.clipboard.writeText(command);
      this.showNotice({ text: t('Copied. Run the command in {0}.', escapeInvisibleInline(cwd)) });
    });
  }

  /**
   * Runs the command line that continues the session in a terminal, in the session's folder. Not during a turn: two
   * processes would then write one session.
   */
  continueInTerminal(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      const { command, cwd } = resumeCommandOf(item);
      if (isAtWork(item))
        throw new ParleyError('conflict', t('A turn is running in this session'), {
          nextStep: t('Stop the turn first.'),
        });
      const terminal = vscode.window.createTerminal({ name: escapeInvisibleInline(item.title), cwd });
      terminal.show();
      terminal.sendText(command);
    });
  }

  refresh(): Promise<void> {
    return withErrorMessage(() => this.catalog.refresh());
  }

  /** Runs `job` on the target session; reports when there is none. */
  #on(target: unknown, job: (item: SessionListItem) => Promise<void>): Promise<void> {
    return withErrorMessage(async () => {
      const id = isOfKey(target) ? ((await this.tree.findFocusedId()) ?? '') : sessionIdOf(target);
      const item = id === undefined ? this.catalog.items().find(({ isActive }) => isActive) : this.catalog.item(id);
      if (item) await job(item);
      else if (id === undefined) this.showNotice({ text: t('This session has no messages yet.') });
    });
  }
}

/** @throws ParleyError when the agent has none */
function resumeCommandOf({ agent, agentSession }: SessionListItem): { readonly command: string; readonly cwd: string } {
  const command = agentSession && resumeCommand(agentSession.program, agentSession.id);
  if (command === undefined) throw noResumeCommand(agent?.title, agentSession !== undefined);
  return { command, cwd: agentSession?.cwd ?? '' };
}

function noResumeCommand(agentTitle: string | undefined, hasSession: boolean): ParleyError {
  if (agentTitle === undefined || !hasSession)
    return new ParleyError('notFound', t('This session has not been sent to an agent yet'));
  const message = t('Parley knows no {0} command that resumes this session', escapeInvisibleInline(agentTitle));
  return new ParleyError('notFound', message, { nextStep: t('Continue the session in the chat.') });
}

/** True when the user selected Undo; false when the notification was closed. */
async function offerUndo(sentence: string): Promise<boolean> {
  const undo = t('Undo');
  return (await showInformationMessage(sentence, undo)) === undo;
}

/** A turn is running, or waits for the user. */
function isAtWork({ status }: SessionListItem): boolean {
  return status === 'running' || status === 'waiting';
}

const RUNNING = t('A turn is running in this session. Changes already made to files are kept.');

function mayArchive({ title }: SessionListItem): Promise<boolean> {
  const message = t('Stop the agent and archive the session “{0}”?', escapeInvisibleInline(title));
  return confirm(message, t('Stop and Archive'), RUNNING);
}

function mayStop({ title }: SessionListItem): Promise<boolean> {
  const message = t('Stop the agent and delete the session “{0}”?', escapeInvisibleInline(title));
  return confirm(message, t('Stop and Delete'), RUNNING);
}

function mayDelete({ title }: SessionListItem): Promise<boolean> {
  return confirm(t('Delete the session “{0}”?', escapeInvisibleInline(title)), t('Delete'), '');
}

async function confirm(message: string, answer: string, detail: string): Promise<boolean> {
  return (await showWarningMessage(message, { modal: true, detail }, answer)) === answer;
}

/** From a key in the sessions view. */
function isOfKey(target: unknown): boolean {
  return isObject(target) && target['selected'] === true;
}
