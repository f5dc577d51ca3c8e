import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { asArray, asNumber, asObject, asString } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { tryParse } from '../../base/schema';
import type { DraftState } from '../../shared/protocol/chatPageProtocol';
import { attachmentContent } from '../../shared/state/attachments';
import type { Attachment } from '../../shared/state/attachments';
import { attachments } from '../messages/attachmentSchema';
import type { DraftMemory } from '../window';

/** Key prefix: one value per session, so that windows with the same storage do not overwrite each other. */
const PREFIX = 'parley.draft.';
/** Stored drafts, also empty ones: these override an older draft in a page's own memory. */
const MAX_DRAFTS = 50;
/** UTF-16 units of attached content that is stored; a page keeps more in its own memory. */
const MAX_CONTENT = 50_000;

/**
 * Unsent drafts by session. Pages keep their own drafts, but a tab's are lost with it, and the view and a tab may show the same session;
 * this store synchronizes them. The newest draft wins.
 */
export class DraftStore implements Disposable {
  /** Of the last change: each has a greater number, whatever the clock says. */
  #order: number;
  readonly #drafts: Map<string, DraftState>;
  readonly #onDidChange = new Emitter<{ readonly session: string; readonly by: unknown }>();

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
    void this.memory.update(PREFIX + session, { ...toStored({ text, at, attached }), order: this.#order });
    if (this.#drafts.size > MAX_DRAFTS) this.#forgetOldest();
    this.#onDidChange.fire({ session, by });
  }

  dispose(): void {
    this.#onDidChange.dispose();
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

function toStored(draft: DraftState): DraftState {
  const size = draft.attached.reduce((sum, one) => sum + attachmentContent(one).length, 0);
  return size > MAX_CONTENT ? { ...draft, attached: draft.attached.filter(isLight) } : draft;
}

function isLight(attachment: Attachment): boolean {
  return attachmentContent(attachment) === '';
}

interface StoredDraft {
  readonly session: string;
  /** Of the last changes of all drafts. */
  readonly order: number;
  readonly draft: DraftState;
}

/** None for what a later version has stored. */
function readAttachment(stored: unknown): readonly Attachment[] {
  const read = tryParse(attachments, [stored]);
  return 'value' in read ? read.value : [];
}

/** The drafts that {@link DraftStore} has stored, oldest first; invalid values are skipped. */
function readDrafts(memory: DraftMemory): readonly StoredDraft[] {
  const drafts: StoredDraft[] = [];
  for (const key of memory.keys()) {
    if (!key.startsWith(PREFIX)) continue;
    const fields = asObject(memory.get(key));
    const [text, at] = [asString(fields?.['text']), asNumber(fields?.['at'])];
    if (text === undefined || at === undefined) continue;
    const attached = asArray(fields?.['attached']).flatMap(readAttachment);
    const order = asNumber(fields?.['order']) ?? at;
    drafts.push({ session: key.slice(PREFIX.length), order, draft: { text, at, attached } });
  }
  return drafts.toSorted((a, b) => a.order - b.order);
}
