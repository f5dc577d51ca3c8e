import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';
import type { Chat, SystemNotificationText } from '../window';
import type { Attention } from './attention';
import { attentionText } from './attentionText';

/** Maximum notifications in `PERIOD_MS` milliseconds, because an agent can send any number of requests. */
const MAX_SHOWN = 10;
const PERIOD_MS = 60_000;
/** Maximum number of notifications in pages whose clicks are still handled. */
const MAX_KEPT = 50;

/**
 * The session and the entry of an event. Does not keep the session in memory: a notification may stay until the window
 * is closed.
 */
export interface AttentionTarget {
  readonly type: Attention['type'];
  readonly sessionId: string;
  /** Index of the request that waits. */
  readonly entry?: number;
}

/** Shows notifications outside the pages. */
export interface NotificationFallbacks extends Disposable {
  /** By a program of the operating system; false if that failed, or where the user sits at another computer. */
  showByPlatform(text: SystemNotificationText, target: AttentionTarget): Promise<boolean>;
  /** Shows it in this window; true if the user selected “Show”. */
  showInWindow(text: SystemNotificationText, target: AttentionTarget): Promise<boolean>;
  reveal(target: AttentionTarget): Promise<void>;
}

/**
 * Shows events as notifications of the operating system. Each event is shown in one way only: the next way is tried if
 * the previous one has shown nothing.
 */
export class SystemNotifications implements Disposable {
  /** By id, oldest first. */
  readonly #inPages = new Map<string, { readonly text: SystemNotificationText; readonly target: AttentionTarget }>();
  /** The times of the last notifications. */
  #shownTimes: readonly number[] = [];

  constructor(
    private readonly chat: Chat,
    private readonly fallbacks: NotificationFallbacks,
    private readonly clock: Clock,
  ) {}

  dispose(): void {
    this.fallbacks.dispose();
  }

  /** Not asynchronous: an asynchronous function would keep the session in memory until the notification is closed. */
  show(attention: Attention): Promise<void> {
    const now = this.clock.elapsed();
    const text = attentionText(attention);
    const recent = this.#shownTimes.filter((at) => now - at < PERIOD_MS);
    if (!text || recent.length >= MAX_SHOWN) return Promise.resolve();
    this.#shownTimes = [...recent, now];
    const { type, session } = attention;
    return this.#show(text, { type, sessionId: session.id, ...(type === 'waiting' && { entry: attention.entry }) });
  }

  async #show(text: SystemNotificationText, target: AttentionTarget): Promise<void> {
    const id = randomUUID();
    this.#store(id, text, target);
    if (await this.chat.showNotification({ id, ...text })) return;
    this.#inPages.delete(id);
    await this.#showOutside(text, target);
  }

  /** The user clicked the notification of a page. */
  async open(id: string): Promise<void> {
    const stored = this.#inPages.get(id);
    this.#inPages.delete(id);
    if (stored) await this.fallbacks.reveal(stored.target);
  }

  /** A page could not show its notification. */
  async showOutside(id: string): Promise<void> {
    const stored = this.#inPages.get(id);
    this.#inPages.delete(id);
    if (stored) await this.#showOutside(stored.text, stored.target);
  }

  #store(id: string, text: SystemNotificationText, target: AttentionTarget): void {
    this.#inPages.set(id, { text, target });
    const [oldest] = this.#inPages.keys();
    if (this.#inPages.size > MAX_KEPT && oldest !== undefined) this.#inPages.delete(oldest);
  }

  async #showOutside(text: SystemNotificationText, target: AttentionTarget): Promise<void> {
    if (await this.fallbacks.showByPlatform(text, target)) return;
    if (await this.fallbacks.showInWindow(text, target)) await this.fallbacks.reveal(target);
  }
}
