import * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import { CHAT_VIEW } from '../viewIds';
import type { ChatLocation } from '../window';
import type { PageOwner, PageServices } from './chatPage';
import { ChatPage } from './chatPage';

export type Badge = vscode.ViewBadge | undefined;

/** The chat view: shows one session, in a page created when VS Code first shows the view. */
export class ChatView implements ChatLocation, Disposable {
  readonly #store = new DisposableStore();
  readonly #shownStore = this.#store.add(new MutableDisposable<DisposableStore>());
  #view: vscode.WebviewView | undefined;
  #badge: Badge;
  #standIn: { badge: Badge } | undefined;

  readonly page: ChatPage;

  /** @param onFocus the view received the focus */
  constructor(
    private readonly parts: PageServices,
    onFocus: () => void,
  ) {
    const { sessions } = parts;
    const owner: PageOwner = {
      location: 'view',
      newChat: (agentName) => {
        const session = sessions.newChat(agentName);
        if (agentName === undefined) void session.warmStart.start();
      },
      showChat: (session) => {
        sessions.activate(session);
        return Promise.resolve(this.page);
      },
      show: () => this.show(),
      onDidFocus: onFocus,
    };
    this.page = this.#store.add(new ChatPage(sessions.viewSession, parts, owner));
    sessions.setViewVisible(false);
    this.#store.add(sessions.onDidChangeInView((session) => this.page.showSession(session)));
  }

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  /** @param early what the page has sent, if it was loaded before the application */
  resolveWebviewView(view: vscode.WebviewView, early?: readonly unknown[]): void {
    const store = new DisposableStore();
    this.#shownStore.value = store;
    this.#view = view;
    store.add(this.page.open(view.webview, early));
    store.add(view.onDidChangeVisibility(() => this.#setVisible(view.visible)));
    store.add(view.onDidDispose(() => this.#onDidDispose(view)));
    view.badge = this.#badge;
    if (this.#standIn) this.#standIn.badge = undefined;
    this.#setVisible(view.visible);
  }

  async show(): Promise<void> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
  }

  /** Shows the view without focusing it. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`, { preserveFocus: true });
  }

  /** @param standIn shows the badge until VS Code has created the view */
  setBadge(badge: Badge, standIn: { badge: Badge }): void {
    this.#badge = badge;
    this.#standIn = standIn;
    if (this.#view) this.#view.badge = badge;
    else standIn.badge = badge;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #setVisible(isVisible: boolean): void {
    this.page.setVisible(isVisible);
    this.parts.sessions.setViewVisible(isVisible);
  }

  #onDidDispose(view: vscode.WebviewView): void {
    if (this.#view !== view) return;
    this.#view = undefined;
    this.#shownStore.value = undefined;
    this.#setVisible(false);
  }
}
