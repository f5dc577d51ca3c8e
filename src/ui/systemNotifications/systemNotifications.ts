import { randomUUID } from 'node:crypto';
import type { Attention } from '../attention';
import type { SystemNotificationText } from './attentionText';
import { attentionText } from './attentionText';

/** Maximum notifications in `PERIOD_MS` milliseconds: an agent decides how often it asks. */
const MAX_SHOWN = 10;
const PERIOD_MS = 60_000;
/** Notifications of pages whose click is still handled. */
const MAX_KEPT = 50;

/** A notification for a page, which reports a click on it by its id. */
export interface PageNotification extends SystemNotificationText {
  readonly id: string;
}

export interface SystemNotificationsOptions {
  /** False if no visible page can show it. */
  showInPage(notification: PageNotification): Promise<boolean>;
  /** By a program of the operating system; false if that failed. Undefined where the user sits at another computer. */
  readonly showByPlatform: ((text: SystemNotificationText) => Promise<boolean>) | undefined;
  /** Shows it in this window; true if the user selected “Show”. */
  showInWindow(text: SystemNotificationText, attention: Attention): Promise<boolean>;
  reveal(attention: Attention): Promise<void>;
  /** Milliseconds. */
  now(): number;
}

/**
 * Shows events as notifications of the operating system. Each event is shown in one way only: the next way is tried when
 * the one before has shown nothing.
 */
export class SystemNotifications {
  readonly #options: SystemNotificationsOptions;
  /** By id, oldest first. */
  readonly #inPages = new Map<string, { readonly text: SystemNotificationText; readonly attention: Attention }>();
  /** The times of the last notifications. */
  #shown: readonly number[] = [];

  constructor(options: SystemNotificationsOptions) {
    this.#options = options;
  }

  async show(attention: Attention): Promise<void> {
    const now = this.#options.now();
    const text = attentionText(attention);
    const recent = this.#shown.filter((at) => now - at < PERIOD_MS);
    if (!text || recent.length >= MAX_SHOWN) return;
    this.#shown = [...recent, now];
    const id = randomUUID();
    this.#keep(id, text, attention);
    if (await this.#options.showInPage({ id, ...text })) return;
    this.#inPages.delete(id);
    await this.#showOutside(text, attention);
  }

  /** The user clicked the notification of a page. */
  async open(id: string): Promise<void> {
    const known = this.#inPages.get(id);
    this.#inPages.delete(id);
    if (known) await this.#options.reveal(known.attention);
  }

  /** A page could not show its notification. */
  async showOutside(id: string): Promise<void> {
    const known = this.#inPages.get(id);
    this.#inPages.delete(id);
    if (known) await this.#showOutside(known.text, known.attention);
  }

  #keep(id: string, text: SystemNotificationText, attention: Attention): void {
    this.#inPages.set(id, { text, attention });
    const [oldest] = this.#inPages.keys();
    if (this.#inPages.size > MAX_KEPT && oldest !== undefined) this.#inPages.delete(oldest);
  }

  async #showOutside(text: SystemNotificationText, attention: Attention): Promise<void> {
    if (await this.#options.showByPlatform?.(text)) return;
    if (await this.#options.showInWindow(text, attention)) await this.#options.reveal(attention);
  }
}
