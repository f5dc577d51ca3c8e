import type * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import { mergeCalls } from '../../node/mergeCalls';
import type { Session } from '../../session/session';
import { sessionStatus } from '../../session/sessionListItem';
import type { ChatLocation } from '../window';
import type { PageServices } from './chatPage';
import { ChatPage } from './chatPage';
import { tabIcon, tabTitle } from './tabIcon';

export interface TabOwner {
  /** Opens a new chat in the same group. */
  newChat(tab: ChatTab, agentName?: string): void;
  /**
   * Shows another session in the same group.
   * @returns its page
   */
  showChat(tab: ChatTab, session: Session): Promise<ChatPage>;
  /** The tab received the focus. */
  onDidEnter(tab: ChatTab): void;
  onDidClose(tab: ChatTab): void;
}

/** A session in an editor tab. The session stays the same while the tab is open. */
export class ChatTab implements ChatLocation, Disposable {
  readonly #store = new DisposableStore();
  readonly #visibility = this.#store.add(new MutableDisposable<Disposable>());
  readonly session: Session;
  readonly page: ChatPage;
  #icon: string | undefined;
  readonly #schedule = mergeCalls(this.#store, () => this.#updateTab());

  /** @param early what the page has sent, if it was loaded before the application */
  constructor(
    private readonly panel: vscode.WebviewPanel,
    session: Session,
    private readonly parts: PageServices,
    private readonly owner: TabOwner,
    early?: readonly unknown[],
  ) {
    this.session = session;
    const { sessions } = parts;
    this.page = this.#store.add(
      new ChatPage(session, parts, {
        location: 'editor',
        newChat: (agentName) => owner.newChat(this, agentName),
        showChat: (other) => owner.showChat(this, other),
        show: () => this.show(),
        onDidFocus: () => owner.onDidEnter(this),
      }),
    );
    this.#store.add(sessions.retain(session));
    this.#store.add(sessions.onDidChange((changed) => void (changed === session && this.#schedule())));
    this.#store.add(panel.onDidChangeViewState(() => this.#onDidChangeViewState()));
    this.#store.add(panel.onDidDispose(() => owner.onDidClose(this)));
    this.#store.add(this.page.open(panel.webview, early));
    this.#updateTab();
    this.#onDidChangeViewState();
  }

  get isVisible(): boolean {
    return this.panel.visible;
  }

  get column(): vscode.ViewColumn | undefined {
    return this.panel.viewColumn;
  }

  async show(): Promise<void> {
    this.panel.reveal();
    this.owner.onDidEnter(this);
    return Promise.resolve();
  }

  /** Closes the tab; `dispose` keeps it, so that VS Code restores it after a reload. */
  close(): void {
    this.panel.dispose();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #onDidChangeViewState(): void {
    const { visible, active } = this.panel;
    if (visible) this.#visibility.value ??= this.parts.sessions.markVisible(this.session);
    else {
      this.#visibility.value = undefined;
      this.page.onPageHidden();
    }
    if (active) this.owner.onDidEnter(this);
  }

  /** Updates title and icon where they have changed. */
  #updateTab(): void {
    const status = sessionStatus(this.session, this.parts.sessions.isUnread(this.session.id));
    const title = tabTitle(this.session.state, status);
    if (this.panel.title !== title) this.panel.title = title;
    if (this.#icon === status) return;
    this.#icon = status;
    this.panel.iconPath = tabIcon(this.parts.extensionUri, status);
  }
}
