import type * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { NotificationMessage, Sound } from '../../shared/protocol/chatPageProtocol';
import type { SendTarget } from '../../shared/protocol/turnIntents';
import type { Attachment } from '../../shared/state/attachments';
import type { Attach, Chat, PageNotification, UserAction } from '../window';
import { ChatNotices } from './chatNotices';
import type { ChatServices, PageServices } from './chatPage';
import type { ChatTab } from './chatTab';
import { ChatTabs } from './chatTabs';
import { ChatView } from './chatView';

export class ChatPages implements Chat, Disposable {
  readonly #parts: PageServices;
  readonly #store = new DisposableStore();
  readonly #userActions = this.#store.add(new Emitter<UserAction>());
  readonly #usedNotifications = this.#store.add(new Emitter<NotificationMessage>());
  /** The tab used last; undefined means the view. */
  #tab: ChatTab | undefined;

  readonly view: ChatView;
  readonly tabs: ChatTabs;
  readonly notices = this.#store.add(new ChatNotices(() => this.#visibleSessions()));
  readonly onDidAct = this.#userActions.event;
  readonly onDidUseNotification = this.#usedNotifications.event;

  constructor(services: ChatServices) {
    const events = { userActions: this.#userActions, usedNotifications: this.#usedNotifications };
    const parts = { ...services, ...events, notices: this.notices };
    this.#parts = parts;
    const { sessions, drafts } = parts;
    this.view = this.#store.add(new ChatView(parts, () => this.#enterView()));
    this.tabs = this.#store.add(
      new ChatTabs(
        parts,
        (tab) => this.#enterTab(tab),
        (tab) => this.#tab === tab && this.#enterView(),
      ),
    );
    const text = t('VS Code stopped before this message was sent. It is in the message box again.');
    for (const session of drafts.unsent) this.notices.show({ text, isWarning: true }, session);
    // Another session was shown in the view.
    this.#store.add(
      sessions.onDidChangeActive((session) => void (this.#tab?.session !== session && (this.#tab = undefined))),
    );
  }

  get current(): ChatTab | ChatView {
    return this.#tab ?? this.view;
  }

  locations(): readonly (ChatTab | ChatView)[] {
    return [this.view, ...this.tabs.all()];
  }

  /** The session's location: the visible one, else its tab, else the view if it shows the session. */
  locationOf(session: Session): ChatTab | ChatView | undefined {
    const inView = this.view.page.session === session ? this.view : undefined;
    const tab = this.tabs.tabOf(session);
    if (this.current.page.session === session && this.current.isVisible) return this.current;
    return inView?.isVisible && !tab?.isVisible ? inView : (tab ?? inView);
  }

  rememberLocation(id: string): ((session: Session) => Promise<void>) | undefined {
    const tab = this.tabs.all().find(({ session }) => session.id === id);
    const column = tab?.column;
    const isInView = this.view.page.session.id === id;
    if (!tab && !isInView) return undefined;
    return async (session) => {
      if (isInView) this.#parts.sessions.activate(session);
      if (tab) await this.tabs.open(session, column);
    };
  }

  isShown(session: Session): boolean {
    return this.locationOf(session)?.isVisible ?? false;
  }

  async open(session: Session): Promise<ChatTab | ChatView> {
    const location = this.locationOf(session) ?? this.view;
    if (location === this.view) this.#parts.sessions.activate(session);
    await location.show();
    return location;
  }

  openTab(session: Session, column?: vscode.ViewColumn): Promise<ChatTab> {
    return this.tabs.open(session, column);
  }

  newTab(): Promise<ChatTab> {
    return this.tabs.newChat();
  }

  async focus(): Promise<void> {
    // An existing page focuses its composer before the view gets the focus; later, it would take the focus from another
    // editor.
    const { isVisible, page } = this.view;
    if (isVisible) page.post({ type: 'focusComposer' });
    await this.view.show();
    if (!isVisible) page.post({ type: 'focusComposer' });
  }

  async reveal({ session, entry, words = [] }: Parameters<Chat['reveal']>[0]): Promise<void> {
    const { page } = await this.open(session);
    page.post({ type: 'reveal', entry, ...(words.length > 0 && { words }) });
  }

  async find(): Promise<void> {
    const { current } = this;
    // As for the message box: the page moves its focus before it gets the focus.
    if (current.isVisible) current.page.post({ type: 'find' });
    const wasVisible = current.isVisible;
    await current.show();
    if (!wasVisible) current.page.post({ type: 'find' });
  }

  async showTools(): Promise<void> {
    await this.current.show();
    this.current.page.post({ type: 'showTools', shown: true });
  }

  hideTools(): void {
    this.current.page.post({ type: 'showTools', shown: false });
  }

  /** Starts a message in the page used last; see {@link HostMessage}, `compose`. */
  async compose(text: string, attachments: readonly Attachment[]): Promise<void> {
    const { current } = this;
    await current.show();
    // Without an agent the user selects one first.
    const shouldSend = current.page.session.state.agent !== undefined;
    current.page.post({ type: 'compose', text, attachments, send: shouldSend });
  }

  quoteSelection(): void {
    this.current.page.post({ type: 'quoteSelection' });
  }

  sendDraft(to: SendTarget): void {
    this.current.page.post({ type: 'sendDraft', to });
  }

  readonly attach: Attach = async (attachments, remarks) => {
    await this.current.show();
    this.current.page.post({ type: 'attach', attachments, remarks });
  };

  async fill(session: Session, text: string, remarks: readonly string[], to?: SendTarget): Promise<void> {
    const { page } = await this.open(session);
    page.post({ type: 'fillComposer', session: session.id, text, remarks, ...(to && { to }) });
  }

  /** A hidden page plays no sound, and one page is enough. */
  playSound(sound: Sound): void {
    const heard = [this.view, ...this.tabs.all()].find(({ isVisible }) => isVisible);
    heard?.page.post({ type: 'playSound', sound });
  }

  /**
   * Shows a notification of the operating system in the first visible page that has permission. Returns false if there
   * is none.
   */
  async showNotification(notification: PageNotification): Promise<boolean> {
    for (const { isVisible, page } of [this.current, this.view, ...this.tabs.all()]) {
      // One page is enough.
      if (isVisible && (await page.showNotification(notification))) return true;
    }
    return false;
  }

  setBadge(...badge: Parameters<Chat['setBadge']>): void {
    this.view.setBadge(...badge);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #visibleSessions(): readonly string[] {
    const locations = [this.current, this.view, ...this.tabs.all()];
    return locations.filter(({ isVisible }) => isVisible).map(({ page }) => page.session.id);
  }

  #enterTab(tab: ChatTab): void {
    this.#tab = tab;
    this.#parts.sessions.setActive(tab.session);
  }

  #enterView(): void {
    this.#tab = undefined;
    this.#parts.sessions.setActive(this.#parts.sessions.viewSession);
  }
}
