import type * as vscode from 'vscode';
import type { Emitter } from '../../base/event';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { truncate } from '../../base/text';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type {
  ChatPageLocation,
  HostMessage,
  NotificationMessage,
  PageMessage,
  SessionMessage,
} from '../../shared/protocol/chatPageProtocol';
import type { Notice } from '../../workbench/notice';
import { UNASKED, parsePageMessage } from '../messages/parsePageMessage';
import type { SideMessage } from '../messages/sideMessages';
import type { EnvironmentSource, IntentPage, PageNotification, ToolsPanelSource, UserAction } from '../window';
import { loadChatDocument } from './chatDocument';
import type { ChatNotices } from './chatNotices';
import type { DraftStore } from './draftStore';
import { StateSync } from './stateSync';
import { ToolsPanelFeed } from './toolsPanelFeed';

export interface ChatServices {
  readonly extensionUri: vscode.Uri;
  readonly sessions: Sessions;
  readonly tools: ToolsPanelSource;
  readonly drafts: DraftStore;
  readonly environment: EnvironmentSource;
  readonly log: Logger;
}

/** What all pages share. */
export interface PageServices extends ChatServices {
  readonly notices: ChatNotices;
  /** See `Chat`. */
  readonly userActions: Emitter<UserAction>;
  readonly usedNotifications: Emitter<NotificationMessage>;
}

export interface PageOwner {
  readonly location: ChatPageLocation;
  /** Opens a new chat in the same location. */
  newChat(agentName?: string): void;
  /**
   * Shows another session in the same location.
   * @returns the page that shows it
   */
  showChat(session: Session): Promise<IntentPage>;
  show(): Promise<void>;
  /** The page received the focus. */
  onDidFocus(): void;
}

/**
 * The host's half of one page: fills a webview, synchronizes it with its session, and forwards user actions to the session in which they
 * happened. VS Code may destroy and recreate the page at any time (I2).
 */
export class ChatPage implements IntentPage, Disposable {
  readonly #store = new DisposableStore();
  readonly #sync: StateSync;
  readonly #tools: ToolsPanelFeed;
  #session: Session;
  /** Ids of sessions the page has shown; messages about any other are rejected. */
  readonly #shownIds = new Set<string>();
  #hasNotice = false;
  /** The page is loaded and may show notifications of the operating system. */
  #canNotify = false;

  constructor(
    session: Session,
    private readonly parts: PageServices,
    private readonly owner: PageOwner,
  ) {
    this.#session = session;
    this.#shownIds.add(session.id);
    this.#sync = this.#store.add(new StateSync(session, parts.environment));
    this.#tools = this.#store.add(new ToolsPanelFeed(this, parts.tools, parts.sessions));
    this.#store.add(
      parts.drafts.onDidChange(({ session: id, by }) => {
        if (by !== this && id === this.#session.id) this.#postDraft();
      }),
    );
    this.#store.add(parts.notices.onDidChange(() => this.#postNotice()));
  }

  get session(): Session {
    return this.#session;
  }

  showSession(session: Session): void {
    if (session === this.#session) return;
    this.#session = session;
    this.#shownIds.add(session.id);
    this.#sync.showSession(session);
    this.#tools.onDidChangeSession();
    this.#postDraft();
    this.#postNotice();
  }

  /**
   * @param early what a page has sent that is loaded already
   * @returns dispose it when the webview is disposed
   */
  open(webview: vscode.Webview, early?: readonly unknown[]): Disposable {
    const store = new DisposableStore();
    this.#sync.onPageOpening();
    this.#canNotify = false;
    this.#sync.webview = webview;
    store.add(webview.onDidReceiveMessage((value: unknown) => this.#receive(value)));
    store.defer(() => {
      if (this.#sync.webview !== webview) return;
      this.#sync.webview = undefined;
      this.onPageHidden();
    });
    if (!early) loadChatDocument(webview, this.parts.extensionUri, this.owner.location);
    for (const value of early ?? []) this.#receive(value);
    return store;
  }

  /** Of a webview whose page VS Code keeps while it is hidden. */
  setVisible(isVisible: boolean): void {
    this.#sync.setVisible(isVisible);
  }

  /** VS Code destroys the page of a hidden webview. */
  onPageHidden(): void {
    this.#tools.watch(false);
    this.#canNotify = false;
    this.#sync.onPageHidden();
  }

  /** False if the page is not loaded, or may not show notifications of the operating system. */
  async showNotification(notification: PageNotification): Promise<boolean> {
    if (!this.#canNotify || !this.#sync.webview) return false;
    const message: HostMessage = { type: 'showNotification', ...notification };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
    return this.#sync.webview.postMessage(message);
  }

  post(message: SideMessage): void {
    this.#sync.postSideMessage(message);
  }

  showNotice(notice: Notice, { id }: Session): void {
    this.parts.notices.show(notice, id);
  }

  reveal(): Promise<void> {
    return this.owner.show();
  }

  watchTools(isOpen: boolean): void {
    this.#tools.watch(isOpen);
  }

  newChat(agentName?: string): void {
    this.owner.newChat(agentName);
  }

  showChat(session: Session): Promise<IntentPage> {
    return this.owner.showChat(session);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #receive(value: unknown): void {
    const parsed = parsePageMessage(value);
    if ('problem' in parsed) {
      this.parts.log.warn('ui', `Ignored a message of the chat page: ${parsed.problem}`);
      return;
    }
    const { message } = parsed;
    if (message.type === 'ready') {
      this.#postDraft();
      this.#postNotice();
      this.#sync.ready();
    } else if (message.type === 'ack') this.#sync.ack(message.seq);
    else if (message.type === 'focused') this.owner.onDidFocus();
    else if (message.type === 'notificationPermission') this.#canNotify = message.granted;
    else if (message.type === 'notificationClicked' || message.type === 'notificationFailed') {
      this.parts.usedNotifications.fire(message);
    } else this.#act(message, isObject(value) ? value['session'] : undefined);
  }

  /** Handles an action in the session that the page showed at that moment. */
  #act(message: SessionMessage, id: unknown): void {
    const session = this.#sessionOf(id);
    if (!session) {
      this.#tooLate(message, id);
      return;
    }
    const { drafts, notices } = this.parts;
    if (message.type === 'draft') drafts.set(session.id, message, this);
    else if (message.type === 'pressNotice') void notices.press(session.id, message.id);
    else if (message.type === 'dismissNotice') notices.clear(session.id, message.id);
    else {
      if (message.type === 'send' || message.type === 'sendQueued') notices.clear(session.id);
      this.parts.userActions.fire({ intent: message, from: { session, page: this } });
    }
  }

  /** The session named by a message; without one, the session that a new page is about to show. */
  #sessionOf(id: unknown): Session | undefined {
    if (id === undefined || id === this.#session.id) return this.#session;
    if (typeof id !== 'string' || !this.#shownIds.has(id)) return undefined;
    return this.parts.sessions.allOpen().find((session) => session.id === id);
  }

  /** Text for a closed session is not sent to another one, but returned to the page. */
  #tooLate(message: PageMessage, id: unknown): void {
    const name = typeof id === 'string' ? JSON.stringify(truncate(id, 60)) : `(${typeof id})`;
    // The page may ask by itself until it learns that the session is closed.
    const level = UNASKED.has(message.type) ? 'info' : 'warn';
    this.parts.log[level]('ui', `Ignored "${message.type}" for session ${name}, which is not open here`);
    if (message.type !== 'send' || typeof id !== 'string' || !this.#shownIds.has(id)) return;
    const { text, attachments = [] } = message;
    const reason = t(
      'The session of this message was closed. Send the message in the current session, or reopen the closed session.',
    );
    this.post({ type: 'sendRefused', session: this.#session.id, text, attachments, reason });
  }

  #postDraft(): void {
    const draft = this.parts.drafts.get(this.#session.id);
    if (draft) this.post({ type: 'draft', session: this.#session.id, ...draft });
  }

  #postNotice(): void {
    const notice = this.parts.notices.noticeOf(this.#session.id);
    if (!notice && !this.#hasNotice) return;
    this.#hasNotice = notice !== undefined;
    this.post({ type: 'notice', ...(notice && { notice }) });
  }
}
