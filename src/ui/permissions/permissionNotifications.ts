import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { NotifyMode } from '../../base/settings';
import { escapeInvisibleInline, escapeIconSyntax } from '../../base/untrustedText';
import { ALREADY_ANSWERED } from './pendingRequestPicker';
import type { UiSession, UiSessions } from '../uiTypes';
import type { NotificationText } from './notificationText';
import { formNotification, requestNotification } from './notificationText';
import { answerRequest, pendingFormAt, pendingRequestAt } from './pendingRequests';
import type { PendingForm, PendingPermissionRequest } from './pendingRequests';

/** Milliseconds that VS Code leaves a warning on the screen of a focused window, and a little more. */
const ON_SCREEN = 13_000;

export interface NotificationsOptions {
  readonly sessions: UiSessions;
  notify(): NotifyMode;
  /** Whether the user sees the chat of this session. */
  isShown(session: UiSession): boolean;
  reveal(request: Pick<PendingPermissionRequest, 'session' | 'entry'>): Promise<void>;
}

interface Toast {
  readonly asked: PendingPermissionRequest | PendingForm;
  readonly text: NotificationText;
  /** Milliseconds, of `performance.now()`. */
  shownAt: number;
}

/**
 * Shows what waits for the user as notifications when the chat that asks is not visible, with the agent's own option names.
 * Closing one answers nothing.
 *
 * VS Code lets nobody close a message. One whose question was withdrawn or answered elsewhere is taken off the screen with
 * all others (they stay in the notification center), and those that still wait are shown again. A late click in the center changes
 * nothing and says so.
 */
export class PermissionNotifications implements Disposable {
  readonly #options: NotificationsOptions;
  readonly #store = new DisposableStore();
  readonly #open = new Set<Toast>();
  #focusedAt = 0;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { sessions } = options;
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
    if (!asked || !this.#wants(session)) return;
    const several = this.#options.sessions.all().length > 1;
    const text = 'form' in asked ? formNotification(asked) : requestNotification(asked, several);
    void this.#show({ asked, text: this.#unlike(text), shownAt: 0 });
  }

  #wants(session: UiSession): boolean {
    const notify = this.#options.notify();
    return notify === 'always' || (notify === 'whenHidden' && !this.#options.isShown(session));
  }

  /** VS Code replaces a message by a new one that reads the same: the question of another session would be gone. */
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
      ...text.options.map((option) => ({ title: escapeIconSyntax(escapeInvisibleInline(option.name)), option })),
      { title: t('Show') },
    ];
    const chosen = await vscode.window.showWarningMessage<Button>(text.sentence, ...buttons);
    // It may have been shown again meanwhile, which closes this one.
    if (toast.shownAt === shownAt) this.#open.delete(toast);
    if (!chosen) return;
    if (!chosen.option || 'form' in asked) await this.#options.reveal(asked);
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
    // Of the same text, so that VS Code puts each in the place of its earlier self.
    for (const toast of others) if (this.#open.has(toast) && isWaiting(toast.asked)) void this.#show(toast);
  }

  #mayBeOnScreen({ shownAt }: Toast): boolean {
    if (!vscode.window.state.focused) return true;
    return performance.now() - Math.max(shownAt, this.#focusedAt) < ON_SCREEN;
  }
}

interface Button extends vscode.MessageItem {
  readonly option?: NotificationText['options'][number];
}

function isWaiting({ session, entry }: Toast['asked']): boolean {
  return session.state.waiting.includes(entry);
}
