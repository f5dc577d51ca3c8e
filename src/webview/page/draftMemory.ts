import { isObject } from '../../base/json';
import type { DraftState, PageEnvironment, PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { Attachment } from '../../shared/state/attachments';
import { attachmentContent } from '../../shared/state/attachments';
import type { SessionState } from '../../shared/state/sessionState';

/** The data that the page stores over a reload. Session state belongs to the host (I2). */
export interface PageMemory {
  /** Unsent drafts by session id, newest last. */
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly editor: EditorContextMode;
  /** Edited messages, by the keys of `messageEditMemory.ts`. */
  readonly edits?: Readonly<Record<string, Draft>>;
  /** Where the user was reading, by session id, newest last; see `scrollPosition.ts`. */
  readonly places?: Readonly<Record<string, unknown>>;
  /** The session, which a restored tab shows again; see `lastViewedSession.ts`. */
  readonly session?: { readonly id: string; readonly blank: boolean; readonly preset: string | undefined };
  /** What the page showed last; see `storedConversation.ts`. */
  readonly conversation?: StoredConversation;
  /** Id of the notice that was read out last. */
  readonly spokenNotice?: string;
  /** Suggestions of agents that the user has hidden, by session id, newest last. */
  readonly hiddenSuggestions?: Readonly<Record<string, string>>;
}

/** A part of a session, shown after a reload until the host answers. */
export interface StoredConversation {
  /** The page's code that stored it: other code may have other states. */
  readonly build: string;
  readonly state: SessionState;
  readonly environment: PageEnvironment;
}

/** Whether the editor context is attached to messages; an attachment means a pinned context. */
export type EditorContextMode = 'on' | 'off' | Attachment;

const MAX_DRAFTS = 20;
/** UTF-16 units of attached content per draft: VS Code writes all of it to disk. */
const MAX_CONTENT = 3_000_000;
/** Milliseconds without typing before other pages are notified. */
const REPORT_DELAY_MS = 150;

export interface Draft {
  readonly text: string;
  readonly attached: readonly Attachment[];
  /** Milliseconds since 1970; undefined in drafts of earlier versions. */
  readonly at?: number;
}

const EMPTY: Draft = { text: '', attached: [] };

export function draftOf(memory: PageMemory, sessionId: string): Draft {
  return memory.drafts[sessionId] ?? EMPTY;
}

/** Adds a draft and drops the oldest, an empty one first. An empty draft is stored too: it replaces an older one. */
export function storeDraft(memory: PageMemory, sessionId: string, { text, attached, at }: Draft): PageMemory {
  const others = Object.entries(memory.drafts).filter(([id]) => id !== sessionId);
  const draft: Draft = { text, attached: persistableDrafts(attached), ...(at !== undefined && { at }) };
  const drafts = [...others, [sessionId, draft] as const];
  if (drafts.length > MAX_DRAFTS) {
    const empty = drafts.findIndex(([, one]) => isEmpty(one));
    drafts.splice(Math.max(0, empty), 1);
  }
  return { ...memory, drafts: Object.fromEntries(drafts) };
}

function isEmpty({ text, attached }: Draft): boolean {
  return text === '' && attached.length === 0;
}

/** Stores a hidden suggestion of the agent; undefined removes it. */
export function storeHiddenSuggestion(memory: PageMemory, sessionId: string, text: string | undefined): PageMemory {
  const others = Object.entries(memory.hiddenSuggestions ?? {}).filter(([id]) => id !== sessionId);
  const hidden = text === undefined ? others : [...others, [sessionId, text] as const];
  return { ...memory, hiddenSuggestions: Object.fromEntries(hidden.slice(-MAX_DRAFTS)) };
}

/** The attachments that fit the size limit. */
export function persistableDrafts(attached: readonly Attachment[]): readonly Attachment[] {
  let remaining = MAX_CONTENT;
  const fitting = attached.filter(
    (one) => (remaining -= attachmentContent(one).length) >= 0 || attachmentContent(one) === '',
  );
  return fitting.length === attached.length ? attached : fitting;
}

/** Parses a stored draft; earlier versions stored only the text. */
export function readDraft(stored: unknown): Draft | undefined {
  if (typeof stored === 'string') return { text: stored, attached: [] };
  if (!isObject(stored) || typeof stored['text'] !== 'string' || !Array.isArray(stored['attached'])) return undefined;
  const { at } = stored;
  // Written by this page; the host validates each attachment.
  const attached = stored['attached'].filter(isObject) as unknown as readonly Attachment[];
  return { text: stored['text'], attached, ...(typeof at === 'number' && { at }) };
}

/** Whether the host's draft is newer than the page's. */
export function isNewer(memory: PageMemory, { session, at }: { session: string } & DraftState): boolean {
  return at > (draftOf(memory, session).at ?? 0);
}

/** Sends drafts to the host, which shares them with other pages and stores them. */
export class DraftReporter {
  #waiting: { readonly session: string; readonly draft: DraftState } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Attachments the host knows: large ones are sent only when changed. */
  readonly #reported = new Map<string, readonly Attachment[]>();

  constructor(private readonly post: (message: PageMessage, session: string) => void) {
    // The page may be destroyed at any time.
    window.addEventListener('pagehide', () => this.#report());
    window.addEventListener('blur', () => this.#report());
  }

  store(session: string, draft: DraftState): void {
    if (this.#waiting && this.#waiting.session !== session) this.#report();
    this.#waiting = { session, draft };
    clearTimeout(this.#timer);
    // A draft that was sent or discarded must disappear from other pages at once.
    if (isEmpty(draft)) this.#report();
    else this.#timer = setTimeout(() => this.#report(), REPORT_DELAY_MS);
  }

  #report(): void {
    clearTimeout(this.#timer);
    if (!this.#waiting) return;
    const { session, draft } = this.#waiting;
    const { text, at, attached } = draft;
    this.#waiting = undefined;
    const isKnown = this.#reported.get(session) === attached;
    this.#reported.set(session, attached);
    this.post({ type: 'draft', text, at, ...(!isKnown && { attached }) }, session);
  }
}
