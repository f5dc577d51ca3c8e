import * as vscode from 'vscode';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { escapeInvisibleInline, escapeMarkdownLinks } from '../../base/untrustedText';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { SessionListItem } from '../../history/sessionSummary';
import type { ChatPages } from '../chat/chatPages';
import type { UiSession } from '../uiTypes';
import { withErrorMessage } from '../reportErrors';

export interface SessionCommandOptions {
  readonly catalog: SessionCatalog;
  readonly pages: Pick<ChatPages, 'focus' | 'again'>;
}

/**
 * The commands on sessions. Each takes the id of a session or the node of the tree it was called on; without, it means the one
 * the user was in last. They never reject: what goes wrong is told in a notification.
 */
export class SessionCommands {
  readonly #options: SessionCommandOptions;

  constructor(options: SessionCommandOptions) {
    this.#options = options;
  }

  rename(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      const title = await vscode.window.showInputBox({
        title: t('Rename Session'),
        value: item.title,
        prompt: t('The new title of the session'),
        validateInput: (value) => (value.trim() === '' ? t('A title needs at least one character.') : undefined),
      });
      if (title !== undefined && title.trim() !== '') await this.#options.catalog.rename(item.id, title);
    });
  }

  /** Closes the session, so it asks where an agent would be stopped by that. */
  archive(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      if (isAtWork(item) && !(await mayArchive(item))) return;
      const { catalog, pages } = this.#options;
      const { id, title } = item;
      const again = pages.again(id);
      await catalog.setArchived(id, true);
      // Not waited for: the notification may stay for long.
      void withErrorMessage(async () => {
        const undone = await offerUndo(t('“{0}” was archived.', escapeInvisibleInline(title)));
        if (!undone) return;
        await catalog.setArchived(id, false);
        if (again) await openAndShow(catalog, id, again);
      });
    });
  }

  unarchive(target?: unknown): Promise<void> {
    return this.#on(target, ({ id }) => this.#options.catalog.setArchived(id, false));
  }

  /** Can be undone as long as the notification is there, so it asks only where an agent would be stopped. */
  delete(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      if (isAtWork(item) && !(await mayStop(item))) return;
      const { catalog, pages } = this.#options;
      const again = pages.again(item.id);
      await catalog.hide(item.id);
      void withErrorMessage(async () => {
        const undone = await offerUndo(t('“{0}” was deleted.', escapeInvisibleInline(item.title)));
        if (!undone) return catalog.remove(item.id);
        catalog.unhide(item.id);
        if (again) await openAndShow(catalog, item.id, again);
      });
    });
  }

  fork(target?: unknown): Promise<void> {
    return this.#on(target, async ({ id }) => {
      await this.#options.catalog.fork(id);
      await this.#options.pages.focus();
    });
  }

  refresh(): Promise<void> {
    return withErrorMessage(() => this.#options.catalog.refresh());
  }

  /** Runs `job` on the session meant; without one there is nothing to do, and that is said. */
  #on(target: unknown, job: (item: SessionListItem) => Promise<void>): Promise<void> {
    return withErrorMessage(async () => {
      const { catalog } = this.#options;
      const id = sessionIdOf(target);
      const item = id === undefined ? catalog.items().find(({ isActive }) => isActive) : catalog.item(id);
      if (item) await job(item);
      else void vscode.window.showInformationMessage(t('This chat has no messages yet.'));
    });
  }
}

/** True: the user took it back. False when the notification is gone without that. */
async function offerUndo(sentence: string): Promise<boolean> {
  const undo = t('Undo');
  return (await vscode.window.showInformationMessage(escapeMarkdownLinks(sentence), undo)) === undo;
}

/** Its agent is in a turn, also one that waits for the user. */
function isAtWork({ status }: SessionListItem): boolean {
  return status === 'running' || status === 'waiting';
}

async function mayArchive({ title }: SessionListItem): Promise<boolean> {
  const question = t('Stop the agent and archive the session “{0}”?', escapeInvisibleInline(title));
  const detail = t('The agent is working in it. Changes that were made to files stay.');
  const answer = t('Stop and Archive');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, answer)) === answer;
}

async function mayStop({ title }: SessionListItem): Promise<boolean> {
  const question = t('Stop the agent and delete the session “{0}”?', escapeInvisibleInline(title));
  const detail = t('The agent is working in it. Changes that were made to files stay.');
  const answer = t('Stop and Delete');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, answer)) === answer;
}

/** Opens a session and shows it at once: bringing the agent's session back may take a while. Rejects when either fails. */
export async function openAndShow(
  catalog: Pick<SessionCatalog, 'open'>,
  id: string,
  show: (session: UiSession) => PromiseLike<unknown>,
): Promise<void> {
  let shown: PromiseLike<unknown> | undefined;
  await catalog.open(id, (session) => {
    shown = show(session);
    // It is waited for below, which may be long after it has failed.
    shown.then(undefined, () => undefined);
  });
  await shown;
}

/** A command is called with an id, or by a menu with the node. */
export function sessionIdOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isObject(target) || target['type'] !== 'session' || !isObject(target['item'])) return undefined;
  const { id } = target['item'];
  return typeof id === 'string' ? id : undefined;
}
