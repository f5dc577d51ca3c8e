import type { PageMemory } from './host';

/** Sessions whose unsent text is kept. */
const MOST_DRAFTS = 20;

/** `memory` with the text in the box of a session; empty text is forgotten, and so are the oldest of many. */
export function withDraft(memory: PageMemory, sessionId: string, text: string): PageMemory {
  const others = Object.entries(memory.drafts).filter(([id]) => id !== sessionId);
  const drafts = text === '' ? others : [...others, [sessionId, text] as const];
  return { drafts: Object.fromEntries(drafts.slice(-MOST_DRAFTS)) };
}
