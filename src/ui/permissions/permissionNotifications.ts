import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { PlainSettingsReader } from '../../base/settings';
import { plainLabel } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import { showInformationMessage, showWarningMessage } from '../../workbench/windowMessages';
import { ALREADY_ANSWERED, answerRequest, pendingFormAt, pendingRequestAt } from '../pendingRequests';
import type { PendingForm, PendingPermissionRequest } from '../pendingRequests';
import type { Chat } from '../window';
import type { LabeledOption, NotificationText } from './notificationText';
import { formNotification, requestNotification, SHOW } from './notificationText';

/** Milliseconds that VS Code shows a warning in a focused window, plus a margin. */
const NOTIFICATION_VISIBLE_MS = 13_000;
/** Milliseconds in which a click on a notification that gives the window the focus opens the chat. */
const CLICK_MS = 1_000;

/** Milliseconds in which a chat is shown in another place. */
const MOVE_MS = 300;

type RequestKey = Pick<ShownRequest, 'sessionId' | 'entry'>;

interface ShownRequest {
  /**
   * Undefined once the request is over: a notification may stay until the window is closed, and must not keep a closed
   * session in memory.
   */
  pending: PendingPermissionRequest | PendingForm | undefined;
  readonly sessionId: string;
  readonly entry: number;
  readonly text: NotificationText;
  /** From `performance.now()`, in milliseconds. */
  shownAt: number;
}

/** The races in view, which show the requests of their attempts. */
interface VisibleRaces {
  shows(session: Session): boolean;
  /** They may be out of view. */
  readonly onDidChange: Event<unknown>;
}

/**
 * Shows pending requests of invisible chats as notifications, with the agent's option names. A request that is reported by a notification
 * of the operating system is shown when the window has the focus again, unless its chat is visible by then: the two never appear together,
 * and the answers stay in reach. Closing a notification answers nothing. VS Code has no API for closing one: when a request was withdrawn or
 * answered elsewhere, all notifications are hidden (they stay in the notification center) and pending ones are shown again. A late click in
 * the center changes nothing, and an information message says so.
 */
export class PermissionNotifications implements Disposable {
  readonly #store = new DisposableStore();
  readonly #open = new Set<ShownRequest>();
  /** Requests that are reported outside the window. */
  #deferredRequests: RequestKey[] = [];
  readonly #deferredTimer = this.#store.add(new MutableDisposable<Disposable>());
  /** Sessions that were hidden in the last {@link MOVE_MS}. */
  readonly #hidden = new Set<Session>();
  readonly #hiddenTimer = this.#store.add(new MutableDisposable<Disposable>());
  /** Those whose requests the races in view show. */
  readonly #onBoard = new Set<Session>();
  #focusedAt = 0;

  constructor(
    private readonly sessions: Sessions,
    private readonly chat: Chat,
    private readonly settings: PlainSettingsReader<'permissions.notify' | 'notifications.system'>,
    private readonly races: VisibleRaces,
    private readonly clock = systemClock,
  ) {
    this.#store.add(sessions.onDidAsk(({ session, entry }) => this.#presentOrDefer(session, entry)));
    this.#store.add(sessions.onDidHide((session) => this.#onDidHide(session)));
    this.#store.add(races.onDidChange(() => this.#onDidChangeRaces()));
    this.#store.add(sessions.onDidChange((session) => this.#onDidChange(session)));
    this.#store.add(sessions.onDidClose((id) => this.#forget(id)));
    this.#store.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#onDidFocus();
      }),
    );
  }

  dispose(): void {
    this.#store.dispose();
    this.#open.clear();
    this.#deferredRequests = [];
  }

  /** A closed session must not stay in memory. */
  #forget(id: string): void {
    for (const sessions of [this.#hidden, this.#onBoard])
      for (const session of sessions) if (session.id === id) sessions.delete(session);
    this.#release(({ sessionId }) => sessionId === id);
  }

  /** Not at once: a chat that moves to another place is hidden for a moment. */
  #onDidHide(session: Session): void {
    if (this.settings.get('permissions.notify') !== 'whenHidden' || session.state.waiting.length === 0) return;
    this.#hidden.add(session);
    this.#hiddenTimer.value = this.clock.after(MOVE_MS, () => {
      for (const hidden of this.#hidden) this.#presentHidden(hidden);
      this.#hidden.clear();
    });
  }

  #presentHidden(session: Session): void {
    const isOpen = (entry: number): boolean =>
      [...this.#open].some((request) => request.pending?.session === session && request.entry === entry);
    for (const entry of session.state.waiting) if (!isOpen(entry)) this.#presentOrDefer(session, entry);
  }

  #onDidChangeRaces(): void {
    for (const session of this.#onBoard) {
      if (this.races.shows(session)) continue;
      this.#onBoard.delete(session);
      this.#onDidHide(session);
    }
  }

  #presentOrDefer(session: Session, entry: number): void {
    if (!this.#shouldShow(session)) return;
    if (this.#isReportedOutside())
      this.#deferredRequests = [...this.#deferredRequests, { sessionId: session.id, entry }];
    else this.#present(session, entry);
  }

  /** Shows a request that could not be reported outside the window. */
  show({ sessionId, entry }: Partial<RequestKey>): void {
    const deferred = this.#deferredRequests.find((one) => one.sessionId === sessionId && one.entry === entry);
    const session = this.sessions.allOpen().find(({ id }) => id === sessionId);
    this.#deferredRequests = this.#deferredRequests.filter((one) => one !== deferred);
    if (deferred && session) this.#present(session, deferred.entry);
  }

  #onDidFocus(): void {
    this.#focusedAt = performance.now();
    if (this.#deferredRequests.length === 0) return;
    this.#deferredTimer.value = this.clock.after(CLICK_MS, () => {
      if (vscode.window.state.focused) this.#showDeferred();
    });
  }

  #showDeferred(): void {
    for (const { sessionId, entry } of this.#deferredRequests.splice(0)) {
      const session = this.sessions.allOpen().find(({ id }) => id === sessionId);
      if (session && this.#shouldShow(session)) this.#present(session, entry);
    }
  }

  #present(session: Session, entry: number): void {
    const pending = pendingRequestAt(session, entry) ?? pendingFormAt(session, entry);
    if (!pending || !isWaiting(pending)) return;
    const hasSeveral = this.sessions.allOpen().length > 1;
    const text = 'form' in pending ? formNotification(pending) : requestNotification(pending, hasSeveral);
    this.#show({ pending, sessionId: session.id, entry, text: this.#unlike(text), shownAt: 0 });
  }

  /** Notifications of the operating system report requests while the window has no focus. */
  #isReportedOutside(): boolean {
    return !vscode.window.state.focused && this.settings.get('notifications.system') !== 'never';
  }

  /** Whether a request of this session is shown as a notification. */
  #shouldShow(session: Session): boolean {
    const notify = this.settings.get('permissions.notify');
    if (notify !== 'whenHidden' || this.chat.isShown(session)) return notify === 'always';
    const isOnBoard = this.races.shows(session);
    if (isOnBoard) this.#onBoard.add(session);
    return !isOnBoard;
  }

  /**
   * Makes the text unique: VS Code replaces a notification by a new one with the same text, possibly of another
   * session.
   */
  #unlike(text: NotificationText): NotificationText {
    const taken = new Set(Array.from(this.#open, (request) => request.text.sentence));
    let sentence = text.sentence;
    for (let count = 2; taken.has(sentence); count++) sentence = `${text.sentence} (${count})`;
    return { ...text, sentence };
  }

  #show(request: ShownRequest): void {
    const shownAt = performance.now();
    request.shownAt = shownAt;
    this.#open.add(request);
    const { text } = request;
    const buttons = [
      ...text.options.map(({ option, label }) => ({ title: plainLabel(label), option })),
      { title: SHOW },
    ];
    void showWarningMessage<Button>(text.sentence, ...buttons).then((chosen) =>
      this.#onDidClose(request, shownAt, chosen),
    );
  }

  async #onDidClose(request: ShownRequest, shownAt: number, chosen: Button | undefined): Promise<void> {
    // The notification may have been shown again meanwhile, which closes the earlier one.
    if (request.shownAt === shownAt) this.#open.delete(request);
    if (!chosen) return;
    const { pending, sessionId, entry } = request;
    if (!chosen.option) {
      const open = this.sessions.allOpen().find(({ id }) => id === sessionId);
      const session = pending?.session ?? open ?? (await this.sessions.open.load(sessionId));
      if (session) await this.chat.reveal({ session, entry });
    } else if (!pending || 'form' in pending || !answerRequest(pending, chosen.option))
      void showInformationMessage(ALREADY_ANSWERED);
  }

  #onDidChange(session: Session): void {
    const over = this.#release(({ pending }) => pending?.session === session && !isWaiting(pending));
    if (over.some((request) => this.#mayBeOnScreen(request))) void this.#clearScreen();
  }

  #release(isOver: (request: ShownRequest) => boolean): readonly ShownRequest[] {
    const over = [...this.#open].filter(isOver);
    for (const request of over) {
      this.#open.delete(request);
      request.pending = undefined;
    }
    return over;
  }

  async #clearScreen(): Promise<void> {
    const others = [...this.#open].filter((request) => this.#mayBeOnScreen(request));
    await vscode.commands.executeCommand('notifications.hideToasts');
    // With the same text, so that VS Code replaces the earlier notification.
    for (const request of others)
      if (request.pending && this.#open.has(request) && isWaiting(request.pending)) this.#show(request);
  }

  #mayBeOnScreen({ shownAt }: ShownRequest): boolean {
    if (!vscode.window.state.focused) return true;
    return performance.now() - Math.max(shownAt, this.#focusedAt) < NOTIFICATION_VISIBLE_MS;
  }
}

interface Button extends vscode.MessageItem {
  readonly option?: LabeledOption['option'];
}

function isWaiting({ session, entry }: PendingPermissionRequest | PendingForm): boolean {
  return session.state.waiting.includes(entry);
}
