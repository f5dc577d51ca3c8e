import * as vscode from 'vscode';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { ChatPages } from './chatPages';
import type { UiSession, UiSessions } from '../uiTypes';
import { sessionIdOf, openAndShow } from '../sessions/sessionCommands';
import { withErrorMessage } from '../reportErrors';

export interface PlaceCommandOptions {
  readonly pages: ChatPages;
  readonly catalog: Pick<SessionCatalog, 'open' | 'items' | 'refresh' | 'transcript' | 'onDidChange'>;
  readonly sessions: UiSessions;
}

/**
 * The commands on where a session is shown. Each takes the id of a session or the node of the tree it was called on; without, it means
 * the one the user was in last. They never reject: what goes wrong is told in a notification.
 */
export class ChatLocationCommands {
  readonly #options: PlaceCommandOptions;

  constructor(options: PlaceCommandOptions) {
    this.#options = options;
  }

  /** "Open Session": where it is shown already, else in the view; asks which one is meant. */
  open(target?: unknown): Promise<void> {
    const { catalog, pages } = this.#options;
    return withErrorMessage(async () => {
      const given = sessionIdOf(target);
      const picked =
        given === undefined
          ? await (await import('../sessions/sessionPicker')).pickSession(catalog)
          : { id: given, place: 'there' as const };
      if (!picked) return;
      const column = picked.place === 'side' ? vscode.ViewColumn.Beside : undefined;
      await this.#open(picked.id, (session) => {
        return picked.place === 'there' ? this.#goTo(session) : pages.tabs.open(session, column);
      });
    });
  }

  /** "Open in Editor": in a tab of the active group, or in the one the session has. */
  openInEditor(target?: unknown): Promise<void> {
    return this.#show(target, (session) => this.#options.pages.tabs.open(session));
  }

  /** "Open to the Side": in a tab beside the active editor. */
  openToSide(target?: unknown): Promise<void> {
    return this.#show(target, (session) => this.#options.pages.tabs.open(session, vscode.ViewColumn.Beside));
  }

  /** "Open in Chat View": a tab of the session stays as it is. */
  openInView(target?: unknown): Promise<void> {
    const { sessions, pages } = this.#options;
    return this.#show(target, (session) => {
      sessions.activate(session);
      return pages.focus();
    });
  }

  /** Goes on here with a session that another window has, which becomes its reader. */
  takeOver(target?: unknown): Promise<void> {
    const id = sessionIdOf(target);
    return withErrorMessage(async () => {
      if (id === undefined) return;
      const { takeOverSession } = await import('../sessions/takeoverPrompt');
      await takeOverSession(id, this.#options, (opened) =>
        this.#open(id, (session) => {
          opened();
          return this.#goTo(session);
        }),
      );
    });
  }

  newChatInEditor(): Promise<void> {
    return withErrorMessage(async () => void (await this.#options.pages.tabs.newChat()));
  }

  /** The session below the active one in the list, where it is shown, else in the view; after the last comes the first. */
  nextSession(): Promise<void> {
    return this.#step(1);
  }

  previousSession(): Promise<void> {
    return this.#step(-1);
  }

  #step(by: 1 | -1): Promise<void> {
    const { catalog, sessions } = this.#options;
    const shown = catalog.items().filter(({ id, archived }) => !archived && !sessions.isElsewhere(id));
    const ids = shown.map(({ id }) => id);
    const at = ids.indexOf(sessions.active.id);
    // A chat without messages is not in the list: it stands above the first.
    const next = at === -1 ? (by === 1 ? 0 : ids.length - 1) : (at + by + ids.length) % ids.length;
    const id = ids[next];
    if (id === undefined || id === sessions.active.id) return Promise.resolve();
    return withErrorMessage(async () => {
      // Somebody who walks past sessions does not want all their agents started: the one that is written in starts its own.
      const session = await sessions.load(id);
      if (session) await this.#goTo(session);
      else await this.#open(id, (opened) => this.#goTo(opened));
    });
  }

  /** To where it is shown already, else in the view, ready to write. */
  async #goTo(session: UiSession): Promise<void> {
    const { page } = await this.#options.pages.open(session);
    page.tell({ type: 'focusComposer' });
  }

  #show(target: unknown, show: (session: UiSession) => PromiseLike<unknown>): Promise<void> {
    const id = sessionIdOf(target);
    return withErrorMessage(async () => {
      if (id === undefined) await show(this.#options.sessions.active);
      else await this.#open(id, show);
    });
  }

  #open(id: string, show: (session: UiSession) => PromiseLike<unknown>): Promise<void> {
    return openAndShow(this.#options.catalog, id, show);
  }
}
