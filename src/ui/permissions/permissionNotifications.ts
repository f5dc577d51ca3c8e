import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { NotifyMode } from '../../base/settings';
import { escapeInvisibleInline, escapeIconSyntax } from '../../base/untrustedText';
import type { UiSession, UiSessions } from '../uiTypes';
import type { LabeledOption, NotificationText } from './notificationText';
import { formNotification, requestNotification } from './notificationText';
import { ALREADY_ANSWERED, answerRequest, pendingFormAt, pendingRequestAt } from './pendingRequests';
import type { PendingForm, PendingPermissionRequest } from './pendingRequests';

/** Milliseconds that VS Code shows a warning in a focused window, plus a margin. */
const ON_SCREEN = 13_000;

interface Toast {
  readonly asked: PendingPermissionRequest | PendingForm;
  readonly text: NotificationText;
  /** From `performance.now()`, in milliseconds. */
  shownAt: number;
}

/**
 * Shows pending requests of invisible chats as notifications, with the agent's option names. Closing a notification
 * answers nothing. VS Code has no API for closing one: when a request was withdrawn or answered elsewhere, all
 * notifications are hidden (they stay in the notification center) and pending ones are shown again. A late click in the
 * center changes nothing and reports that.
 */
export class PermissionNotifications implements Disposable {
  readonly #sessions: UiSessions;
  readonly #notify: () => NotifyMode;
  /** Whether the chat of this session is visible. */
  readonly #isShown: (session: UiSession) => boolean;
  readonly #reveal: (request: Pick<PendingPermissionRequest, 'session' | 'entry'>) => Promise<void>;
  readonly #store = new DisposableStore();
  readonly #open = new Set<Toast>();
  #focusedAt = 0;

  constructor(
    sessions: UiSessions,
    notify: () => NotifyMode,
    isShown: (session: UiSession) => boolean,
    reveal: (request: Pick<PendingPermissionRequest, 'session' | 'entry'>) => Promise<void>,
  ) {
    this.#sessions = sessions;
    this.#notify = notify;
    this.#isShown = isShown;
    this.#reveal = reveal;
    this.#store.add(sessions.onDidAsk(({ session, entry }) => this.#asked(session, entry)));
    this.#store.add(sessions.onDidChange((session) => this.#changed(session)));
    this.#store.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#focusedAt = performance.now();
      }),
    );
  }

  dispose(): void {
    this.#store.dispose();
    this.#open.clear();
  }

  #asked(session: UiSession, entry: number): void {
    const asked = pendingRequestAt(session, entry) ?? pendingFormAt(session, entry);
    if (!asked || !this.isWanted(session)) return;
    const several = this.#sessions.all().length > 1;
    const text = 'form' in asked ? formNotification(asked) : requestNotification(asked, several);
    void this.#show({ asked, text: this.#unlike(text), shownAt: 0 });
  }

  /** Whether a request of this session is shown as a notification. */
  isWanted(session: UiSession): boolean {
    const notify = this.#notify();
    return notify === 'always' || (notify === 'whenHidden' && !this.#isShown(session));
  }

  /**
   * Makes the text unique: VS Code replaces a notification by a new one with the same text, possibly of another
   * session.
   */
  #unlike(text: NotificationText): NotificationText {
    const taken = new Set(Array.from(this.#open, (toast) => toast.text.sentence));
    let sentence = text.sentence;
    for (let count = 2; taken.has(sentence); count++) sentence = `${text.sentence} (${count})`;
    return { ...text, sentence };
  }

  async #show(toast: Toast): Promise<void> {
    const shownAt = performance.now();
    toast.shownAt = shownAt;
    this.#open.add(toast);
    const { asked, text } = toast;
    const buttons = [
      ...text.options.map(({ option, label }) => ({ title: escapeIconSyntax(escapeInvisibleInline(label)), option })),
      { title: t('Show') },
    ];
    const chosen = await vscode.window.showWarningMessage<Button>(text.sentence, ...buttons);
    // The notification may have been shown again meanwhile, which closes the earlier one.
    if (toast.shownAt === shownAt) this.#open.delete(toast);
    if (!chosen) return;
    if (!chosen.option || 'form' in asked) await this.#reveal(asked);
    else if (!answerRequest(asked, chosen.option)) void vscode.window.showInformationMessage(ALREADY_ANSWERED);
  }

  #changed(session: UiSession): void {
    const over = [...this.#open].filter(({ asked }) => asked.session === session && !isWaiting(asked));
    for (const toast of over) this.#open.delete(toast);
    if (over.some((toast) => this.#mayBeOnScreen(toast))) void this.#clearScreen();
  }

  async #clearScreen(): Promise<void> {
    const others = [...this.#open].filter((toast) => this.#mayBeOnScreen(toast));
    await vscode.commands.executeCommand('notifications.hideToasts');
    // With the same text, so that VS Code replaces the earlier notification.
    for (const toast of others) if (this.#open.has(toast) && isWaiting(toast.asked)) void this.#show(toast);
  }

  #mayBeOnScreen({ shownAt }: Toast): boolean {
    if (!vscode.window.state.focused) return true;
    return performance.now() - Math.max(shownAt, this.#focusedAt) < ON_SCREEN;
  }
}

interface Button extends vscode.MessageItem {
  readonly option?: LabeledOption['option'];
}

function isWaiting({ session, entry }: Toast['asked']): boolean {
  return session.state.waiting.includes(entry);
}
