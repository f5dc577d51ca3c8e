import * as vscode from 'vscode';
import type { Session } from '../../session/session';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import { withErrorMessage } from '../reportErrors';
import type { Chat } from '../window';
import { sessionIdOf, openAndShow } from './sessionTarget';

/**
 * Commands that show a session somewhere. Each takes a session id or tree node; the default is the session used last. They never reject:
 * errors are shown.
 */
export class ChatLocationCommands {
  constructor(
    private readonly pages: Chat,
    private readonly catalog: SessionCatalog,
    private readonly sessions: Sessions,
  ) {}

  /** "Open Session": where it is shown already, else in the view; asks for the session without a target. */
  open(target?: unknown): Promise<void> {
    return withErrorMessage(async () => {
      const given = sessionIdOf(target);
      const picked =
        given === undefined
          ? await (await import('./sessionPicker')).pickSession(this.catalog)
          : { id: given, location: 'there' as const };
      if (!picked) return;
      const column = picked.location === 'side' ? vscode.ViewColumn.Beside : undefined;
      await this.#open(picked.id, (session) => {
        return picked.location === 'there' ? this.#goTo(session) : this.pages.openTab(session, column);
      });
    });
  }

  openInEditor(target?: unknown): Promise<void> {
    return this.#show(target, (session) => this.pages.openTab(session));
  }

  openToSide(target?: unknown): Promise<void> {
    return this.#show(target, (session) => this.pages.openTab(session, vscode.ViewColumn.Beside));
  }

  /** "Open in Chat View"; a tab of the session stays. */
  openInView(target?: unknown): Promise<void> {
    return this.#show(target, (session) => {
      this.sessions.activate(session);
      return this.pages.focus();
    });
  }

  /** Takes over a session from another window, which becomes read-only there. */
  takeOver(target?: unknown): Promise<void> {
    const id = sessionIdOf(target);
    return withErrorMessage(async () => {
      if (id === undefined) return;
      const { takeOverSession } = await import('./takeoverPrompt');
      await takeOverSession(id, this.sessions, this.catalog, (onDidOpen) =>
        this.#open(id, (session) => {
          onDidOpen();
          return this.#goTo(session);
        }),
      );
    });
  }

  newChatInEditor(): Promise<void> {
    return withErrorMessage(async () => void (await this.pages.newTab()));
  }

  /** The session below the active one in the list, shown where it is or in the view; wraps around. */
  nextSession(): Promise<void> {
    return this.#step(1);
  }

  previousSession(): Promise<void> {
    return this.#step(-1);
  }

  #step(by: 1 | -1): Promise<void> {
    const shown = this.catalog.items().filter(({ id, archived }) => !archived && !this.sessions.open.isElsewhere(id));
    const ids = shown.map(({ id }) => id);
    const at = ids.indexOf(this.sessions.active.id);
    // A chat without messages is not listed; it counts as above the first.
    const next = at === -1 ? (by === 1 ? 0 : ids.length - 1) : (at + by + ids.length) % ids.length;
    const id = ids[next];
    if (id === undefined || id === this.sessions.active.id) return Promise.resolve();
    return withErrorMessage(async () => {
      // Does not start the agent: the first prompt does.
      const session = await this.sessions.open.load(id);
      if (session) await this.#goTo(session);
      else await this.#open(id, (opened) => this.#goTo(opened));
    });
  }

  async #goTo(session: Session): Promise<void> {
    const { page } = await this.pages.open(session);
    page.post({ type: 'focusComposer' });
  }

  #show(target: unknown, show: (session: Session) => PromiseLike<unknown>): Promise<void> {
    const id = sessionIdOf(target);
    return withErrorMessage(async () => {
      if (id === undefined) await show(this.sessions.active);
      else await this.#open(id, show);
    });
  }

  #open(id: string, show: (session: Session) => PromiseLike<unknown>): Promise<void> {
    return openAndShow(this.catalog, id, show);
  }
}
