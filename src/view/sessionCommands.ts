import * as vscode from 'vscode';
import { ParleyError, messageOf } from '../base/errors';
import { isObject } from '../base/json';
import { t } from '../base/l10n';
import { showHiddenInLine, withoutLinks } from '../base/visible';
import type { SessionCatalog } from '../session/catalog';
import type { CatalogItem } from '../session/catalogItems';

export interface SessionCommandOptions {
  readonly catalog: SessionCatalog;
  /** Shows the chat, which shows the active session. */
  readonly focusChat: () => Promise<void>;
}

/**
 * The commands on sessions. Each takes the id of a session or the node of the tree it was called on; without, it means the one
 * the person was in last. They never reject: what goes wrong is told in a notification.
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
      const lost = t('Its conversation is deleted for good. Changes that were made to files stay.');
      const detail = item.status === 'running' ? `${t('The agent is working in it and is stopped.')} ${lost}` : lost;
      const remove = t('Delete');
      const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, remove);
      if (answer === remove) await this.#options.catalog.remove(item.id);
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

/** A command is called with an id, or by a menu with the node. */
export function idOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isObject(target) || target['type'] !== 'session' || !isObject(target['item'])) return undefined;
  const { id } = target['item'];
  return typeof id === 'string' ? id : undefined;
}
