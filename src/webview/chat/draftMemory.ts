import { isObject } from '../../base/json';
import type { Attachment } from '../../shared/protocol/attachments';
import { attachmentContent } from '../../shared/protocol/attachments';
import type { DraftState, PageMessage } from '../../shared/protocol/chatPageProtocol';

/** What the page itself remembers over a reload. Session state is not in it: that belongs to the host (I2). */
export interface PageMemory {
  /** What was written and not sent, by session id; the newest last. */
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly editor: EditorContextMode;
  /** Messages that are being changed, by `messageEditMemory.ts`'s keys. */
  readonly edits?: Readonly<Record<string, Draft>>;
  /** The Tools panel is open. */
  readonly toolsOpen?: boolean;
  /** What it shows: a tab that is brought back with the window shows that again. `blank`: nothing was said in it yet. */
  readonly session?: { readonly id: string; readonly blank: boolean };
}

/** Whether what the user looks at in the editor goes with messages; an attachment: that one, whatever they look at. */
export type EditorContextMode = 'on' | 'off' | Attachment;

/** Sessions whose unsent message is kept. */
const MOST_DRAFTS = 20;
/** UTF-16 units of pictures and texts that are kept with a draft: the editor writes all of it to disk. */
const MOST_CONTENT = 3_000_000;
/** Milliseconds without a key after which other pages are told. */
const PAUSE = 150;

/** What is being written in a session. */
export interface Draft {
  readonly text: string;
  readonly attached: readonly Attachment[];
  /** When it was written, in milliseconds since 1970; absent in what earlier versions stored. */
  readonly at?: number;
}

const EMPTY: Draft = { text: '', attached: [] };

export function draftOf(memory: PageMemory, sessionId: string): Draft {
  return memory.drafts[sessionId] ?? EMPTY;
}

/** `memory` with the draft of a session; the oldest of many are forgotten. An empty one is kept too: it says that an older one is over. */
export function storeDraft(memory: PageMemory, sessionId: string, { text, attached, at }: Draft): PageMemory {
  const others = Object.entries(memory.drafts).filter(([id]) => id !== sessionId);
  const draft: Draft = { text, attached: persistableDrafts(attached), ...(at !== undefined && { at }) };
  return { ...memory, drafts: Object.fromEntries([...others, [sessionId, draft] as const].slice(-MOST_DRAFTS)) };
}

/** Those that survive a reload: content beyond the limit does not. */
export function persistableDrafts(attached: readonly Attachment[]): readonly Attachment[] {
  let left = MOST_CONTENT;
  const kept = attached.filter((one) => (left -= attachmentContent(one).length) >= 0 || attachmentContent(one) === '');
  return kept.length === attached.length ? attached : kept;
}

/** Reads a draft as it was stored by this version or an earlier one, which kept only the text; undefined for anything else. */
export function readDraft(stored: unknown): Draft | undefined {
  if (typeof stored === 'string') return { text: stored, attached: [] };
  if (!isObject(stored) || typeof stored['text'] !== 'string' || !Array.isArray(stored['attached'])) return undefined;
  const { at } = stored;
  // The page itself wrote them; the host checks each when it is sent.
  const attached = stored['attached'].filter(isObject) as unknown as readonly Attachment[];
  return { text: stored['text'], attached, ...(typeof at === 'number' && { at }) };
}

/** Whether the host's draft of a session was written later than the one that the page remembers. */
export function isNewer(memory: PageMemory, { session, at }: { session: string } & DraftState): boolean {
  return at > (draftOf(memory, session).at ?? 0);
}

/** Tells the host what is being written, so that it is in every page of the session and outlives this one. */
export class DraftReporter {
  readonly #post: (message: PageMessage, session: string) => void;
  #waiting: { readonly session: string; readonly draft: DraftState } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the host knows of the attachments: they may be large, and are sent only when they change. */
  readonly #told = new Map<string, readonly Attachment[]>();

  constructor(post: (message: PageMessage, session: string) => void) {
    this.#post = post;
    // The page may go at any moment: what waits is told then.
    window.addEventListener('pagehide', () => this.#tell());
    window.addEventListener('blur', () => this.#tell());
  }

  /** The host said itself what is attached in this session. */
  knows(session: string, attached: readonly Attachment[]): void {
    this.#told.set(session, attached);
  }

  keep(session: string, draft: DraftState): void {
    if (this.#waiting && this.#waiting.session !== session) this.#tell();
    this.#waiting = { session, draft };
    clearTimeout(this.#timer);
    // Sent or thrown away: another page must not show it any more.
    if (draft.text === '' && draft.attached.length === 0) this.#tell();
    else this.#timer = setTimeout(() => this.#tell(), PAUSE);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    if (!this.#waiting) return;
    const { session, draft } = this.#waiting;
    const { text, at, attached } = draft;
    this.#waiting = undefined;
    const isKnown = this.#told.get(session) === attached;
    this.#told.set(session, attached);
    this.#post({ type: 'draft', text, at, ...(!isKnown && { attached }) }, session);
  }
}
