import * as vscode from 'vscode';
import { ParleyError, messageOf } from '../base/errors';
import { isObject } from '../base/json';
import { t } from '../base/l10n';
import { showHiddenInLine, withoutLinks } from '../base/visible';
import type { SessionCatalog } from '../session/catalog';
import type { CatalogItem } from '../session/catalogItems';
import { groupSessions, sessionDescription, sessionIcon } from './sessionGroups';

export interface SessionCommandOptions {
  readonly catalog: SessionCatalog;
  /** Shows the chat, which shows the active session. */
  readonly focusChat: () => Promise<void>;
}

interface Pick extends vscode.QuickPickItem {
  readonly sessionId?: string;
}

/**
 * The commands on sessions. Each takes the id of a session or the node of the tree it was called on; without, it asks or means the
 * shown one. They never reject: what goes wrong is told in a notification.
 */
export class SessionCommands {
  readonly #options: SessionCommandOptions;

  constructor(options: SessionCommandOptions) {
    this.#options = options;
  }

  /** "Open Session": a quick pick of all sessions by title, across agents. */
  open(target?: unknown): Promise<void> {
    return this.#told(async () => {
      const { catalog, focusChat } = this.#options;
      const id = idOf(target) ?? (await this.#pick());
      if (id === undefined) return;
      // The transcript is shown at once; bringing the agent's session back may take a while.
      const opened = catalog.open(id);
      await focusChat();
      await opened;
    });
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

  archive(target?: unknown): Promise<void> {
    return this.#on(target, ({ id }) => this.#options.catalog.setArchived(id, true));
  }

  unarchive(target?: unknown): Promise<void> {
    return this.#on(target, ({ id }) => this.#options.catalog.setArchived(id, false));
  }

  /** Deleting cannot be undone, so it asks. */
  delete(target?: unknown): Promise<void> {
    return this.#on(target, async (item) => {
      const question = t('Delete the session “{0}”?', showHiddenInLine(item.title));
      const running = item.status === 'running' ? t('The agent is working in it and is stopped. ') : '';
      const detail = t('{0}Its conversation is deleted for good. Changes that were made to files stay.', running);
      const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, t('Delete'));
      if (answer === 'Delete') await this.#options.catalog.remove(item.id);
    });
  }

  fork(target?: unknown): Promise<void> {
    return this.#on(target, async ({ id }) => {
      await this.#options.catalog.fork(id);
      await this.#options.focusChat();
    });
  }

  refresh(): Promise<void> {
    return this.#told(() => this.#options.catalog.refresh());
  }

  async #pick(): Promise<string | undefined> {
    const { catalog } = this.#options;
    const refreshed = catalog.refresh();
    // What the agents say takes as long as it takes; the list is made of what is known, and once more when it is complete.
    const items = refreshed.then(() => this.#picks());
    const chosen = await vscode.window.showQuickPick(items, {
      title: t('Open Session'),
      placeHolder: t('Search sessions by title or agent'),
      matchOnDescription: true,
    });
    return chosen?.sessionId;
  }

  #picks(): Pick[] {
    const now = Date.now();
    const picks: Pick[] = [];
    for (const group of groupSessions(this.#options.catalog.items(), now)) {
      picks.push({ label: group.label, kind: vscode.QuickPickItemKind.Separator });
      for (const item of group.items) picks.push(toPick(item, now));
    }
    return picks;
  }

  /** Runs `job` on the session meant; without one there is nothing to do, and that is said. */
  #on(target: unknown, job: (item: CatalogItem) => Promise<void>): Promise<void> {
    return this.#told(async () => {
      const { catalog } = this.#options;
      const id = idOf(target);
      const item = id === undefined ? catalog.items().find(({ isActive }) => isActive) : catalog.item(id);
      if (item) await job(item);
      else void vscode.window.showInformationMessage(t('This chat has no messages yet.'));
    });
  }

  async #told(job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } catch (error) {
      const next = ParleyError.is(error) ? error.nextStep : undefined;
      void vscode.window.showErrorMessage(withoutLinks([messageOf(error), next].filter(Boolean).join(' ')));
    }
  }
}

function toPick(item: CatalogItem, now: number): Pick {
  // A title must not draw icons of its own.
  const title = showHiddenInLine(item.title).replaceAll('$(', '$\u2060(');
  const description = showHiddenInLine(sessionDescription(item, now));
  return { label: `$(${sessionIcon(item)}) ${title}`, description, sessionId: item.id };
}

/** A command is called with an id, or by a menu with the node. */
export function idOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isObject(target) || target['type'] !== 'session' || !isObject(target['item'])) return undefined;
  const { id } = target['item'];
  return typeof id === 'string' ? id : undefined;
}
