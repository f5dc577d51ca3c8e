import { randomUUID } from 'node:crypto';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { truncate } from '../../base/text';
import type { PageNotice } from '../../shared/protocol/chatPageProtocol';
import type { Notice, ShowNotice } from '../../workbench/notice';
import { showNotification } from '../../workbench/notice';

/** UTF-16 units of a line, and lines. */
const MAX_LINE = 500;
const MAX_DETAILS = 20;

interface CurrentNotice {
  readonly session: string;
  readonly shown: PageNotice;
  readonly button: Notice['button'];
}

/** The result of the last action, for the page of its session. The next action replaces it; pages come and go meanwhile (I2). */
export class ChatNotices implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  #current: CurrentNotice | undefined;

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  /** @param visible ids of the sessions in visible pages, that of the page used last first */
  constructor(private readonly visible: () => readonly string[]) {}

  noticeOf(session: string): PageNotice | undefined {
    return this.#current?.session === session ? this.#current.shown : undefined;
  }

  readonly show: ShowNotice = (notice, sessionId) => {
    const visible = this.visible();
    const session = sessionId ?? visible[0];
    if (notice && session !== undefined && visible.includes(session)) {
      this.#set({ session, shown: toPage(notice), button: notice.button });
      return;
    }
    this.#set(undefined);
    showNotification(notice);
  };

  /** @param id removes only the notice with this id */
  clear(session: string, id?: string): void {
    const current = this.noticeOf(session);
    if (current && (id === undefined || id === current.id)) this.#set(undefined);
  }

  /** The user clicked its button. */
  async press(session: string, id: string): Promise<void> {
    if (this.noticeOf(session)?.id !== id) return;
    const button = this.#current?.button;
    this.#set(undefined);
    await button?.run();
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #set(next: CurrentNotice | undefined): void {
    if (next === this.#current) return;
    this.#current = next;
    this.#onDidChange.fire();
  }
}

function toPage({ text, details = [], isWarning = false, button }: Notice): PageNotice {
  return {
    id: randomUUID(),
    text: truncate(text, MAX_LINE),
    details: details.slice(0, MAX_DETAILS).map((line) => truncate(line, MAX_LINE)),
    isWarning,
    ...(button && { button: button.label }),
  };
}
