import { isObject } from '../base/json';
import type { Attachment } from '../shared/attachments';
import { contentOf } from '../shared/attachments';
import type { PageMemory } from './host';

/** Sessions whose unsent message is kept. */
const MOST_DRAFTS = 20;
/** UTF-16 units of pictures and texts that are kept with a draft: the editor writes all of it to disk. */
const MOST_CONTENT = 3_000_000;

/** What is being written in a session. */
export interface Draft {
  readonly text: string;
  readonly attached: readonly Attachment[];
}

const EMPTY: Draft = { text: '', attached: [] };

export function draftOf(memory: PageMemory, sessionId: string): Draft {
  return memory.drafts[sessionId] ?? EMPTY;
}

/** `memory` with the draft of a session; an empty one is forgotten, and so are the oldest of many. */
export function withDraft(memory: PageMemory, sessionId: string, { text, attached }: Draft): PageMemory {
  const others = Object.entries(memory.drafts).filter(([id]) => id !== sessionId);
  const draft: Draft = { text, attached: keptOf(attached) };
  const drafts = text === '' && attached.length === 0 ? others : [...others, [sessionId, draft] as const];
  return { ...memory, drafts: Object.fromEntries(drafts.slice(-MOST_DRAFTS)) };
}

/** Those that survive a reload: content beyond the limit does not. */
export function keptOf(attached: readonly Attachment[]): readonly Attachment[] {
  let left = MOST_CONTENT;
  const kept = attached.filter((one) => (left -= contentOf(one).length) >= 0 || contentOf(one) === '');
  return kept.length === attached.length ? attached : kept;
}

/** Reads a draft as it was stored by this version or an earlier one, which kept only the text; undefined for anything else. */
export function readDraft(stored: unknown): Draft | undefined {
  if (typeof stored === 'string') return { text: stored, attached: [] };
  if (!isObject(stored) || typeof stored['text'] !== 'string' || !Array.isArray(stored['attached'])) return undefined;
  // The page itself wrote them; the host checks each when it is sent.
  return { text: stored['text'], attached: stored['attached'].filter(isObject) as unknown as readonly Attachment[] };
}
