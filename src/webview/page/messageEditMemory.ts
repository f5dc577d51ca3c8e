import { isObject } from '../../base/json';
import type { Draft, PageMemory } from './draftMemory';
import { persistableDrafts, readDraft } from './draftMemory';

/** Stored edits. */
const MAX_EDITS = 10;

/** @param key of the session and the message */
export function editOf(memory: PageMemory, key: string): Draft | undefined {
  return memory.edits?.[key];
}

/** Stores an edit; undefined removes it. */
export function storeEdit(memory: PageMemory, key: string, edit: Draft | undefined): PageMemory {
  const others = Object.entries(memory.edits ?? {}).filter(([stored]) => stored !== key);
  const edits = edit ? [...others, [key, { ...edit, attached: persistableDrafts(edit.attached) }] as const] : others;
  return { ...memory, edits: Object.fromEntries(edits.slice(-MAX_EDITS)) };
}

export function readEdits(stored: unknown): Readonly<Record<string, Draft>> {
  if (!isObject(stored)) return {};
  const read = Object.entries(stored).map(([key, edit]) => [key, readDraft(edit)] as const);
  return Object.fromEntries(read.filter((pair): pair is [string, Draft] => pair[1] !== undefined));
}

export function queuedKey(session: string, id: string): string {
  return `${session} queued ${id}`;
}

export function sentKey(session: string, entry: number): string {
  return `${session} sent ${entry}`;
}

/** Index of the edited message of a session. */
export function entryBeingEdited(memory: PageMemory, session: string): number | undefined {
  const prefix = `${session} sent `;
  const key = Object.keys(memory.edits ?? {}).find((stored) => stored.startsWith(prefix));
  return key === undefined ? undefined : Number(key.slice(prefix.length));
}
