import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { asNumber, asObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { DraftState } from '../../shared/protocol/chatPageProtocol';
import type { DraftMemory } from '../messages/unsentMessages';
import { forgetRefused, readStoredDraft, takeUnsentMessages, toStoredDraft } from '../messages/unsentMessages';

/** Key prefix: one value per session, so that windows with the same storage do not overwrite each other. */
const PREFIX = 'parley.draft.';
/** Stored drafts, also empty ones: these override an older draft in a page's own memory. */
const MAX_DRAFTS = 50;

/**
 * Unsent drafts by session. Pages keep their own drafts, but a tab's are lost with it, and the view and a tab may show the same session;
 * this store synchronizes them. The newest draft wins.
 */
export class DraftStore implements Disposable {
  /** Of the last change: each has a greater number, whatever the clock says. */
  #order: number;
  readonly #drafts: Map<string, DraftState>;
  readonly #onDidChange = new Emitter<{ readonly session: string; readonly by: unknown }>();

  /** Sessions with a message that the last window had not sent: it is in their draft. */
  readonly unsent: readonly string[];

  /** Fires the session and the page whose draft changed. */
  readonly onDidChange: Event<{ readonly session: string; readonly by: unknown }> = this.#onDidChange.event;

  /** @param now milliseconds since 1970 */
  constructor(
    private readonly memory: DraftMemory,
    private readonly now: () => number = Date.now,
  ) {
    const stored = readDrafts(memory);
    this.#order = stored.at(-1)?.order ?? 0;
    this.#drafts = new Map(stored.map(({ session, draft }) => [session, draft]));
    this.unsent = takeUnsentMessages(memory).map(({ session, draft }) => {
      this.#putBack(session, draft);
      return session;
    });
  }

  get(session: string): DraftState | undefined {
    return this.#drafts.get(session);
  }

  /**
   * @param draft without `attached` if the attachments are unchanged
   * @param by the page in which the user wrote it
   */
  set(session: string, draft: Omit<DraftState, 'attached'> & Partial<DraftState>, by: unknown): void {
    const before = this.#drafts.get(session);
    // A draft of the future is from before the clock was set back.
    if (before && before.at > draft.at && before.at <= this.now()) return;
    const { text, at, attached = before?.attached ?? [] } = draft;
    this.#drafts.delete(session);
    this.#drafts.set(session, { text, at, attached });
    this.#order = Math.max(at, this.#order + 1);
    forgetRefused(this.memory, session);
    void this.memory.update(PREFIX + session, { ...toStoredDraft({ text, at, attached }), order: this.#order });
    if (this.#drafts.size > MAX_DRAFTS) this.#forgetOldest();
    this.#onDidChange.fire({ session, by });
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  /** Above what the user has written since. */
  #putBack(session: string, { text, attached }: DraftState): void {
    const later = this.#drafts.get(session);
    const draft = {
      text: [text, later?.text ?? ''].filter((one) => one !== '').join('\n\n'),
      at: Math.max(this.now(), (later?.at ?? 0) + 1),
      attached: [...attached, ...(later?.attached ?? [])],
    };
    this.set(session, draft, undefined);
  }

  /** An empty one if there is one: nothing is lost with it. */
  #forgetOldest(): void {
    const sessions = [...this.#drafts.keys()];
    const oldest = sessions.find((session) => isEmpty(this.#drafts.get(session))) ?? sessions[0];
    if (oldest === undefined) return;
    this.#drafts.delete(oldest);
    void this.memory.update(PREFIX + oldest, undefined);
  }
}

function isEmpty(draft: DraftState | undefined): boolean {
  return draft?.text === '' && draft.attached.length === 0;
}

interface StoredDraft {
  readonly session: string;
  /** Of the last changes of all drafts. */
  readonly order: number;
  readonly draft: DraftState;
}

/** The drafts that {@link DraftStore} has stored, oldest first; invalid values are skipped. */
function readDrafts(memory: DraftMemory): readonly StoredDraft[] {
  const drafts: StoredDraft[] = [];
  for (const key of memory.keys()) {
    if (!key.startsWith(PREFIX)) continue;
    const stored = memory.get(key);
    const draft = readStoredDraft(stored);
    if (!draft) continue;
    const order = asNumber(asObject(stored)?.['order']) ?? draft.at;
    drafts.push({ session: key.slice(PREFIX.length), order, draft });
  }
  return drafts.toSorted((a, b) => a.order - b.order);
}
