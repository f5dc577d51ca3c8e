import { appendEntry, entryAt, lastEntry, replaceEntry } from './entryPages';
import type { Action } from './sessionActions';
import type { MessageEntry, SessionState, UserEntry } from './sessionState';

type Of<T extends Action['type']> = Extract<Action, { type: T }>;

/** Finishes the newest entry when it is an open message or thought. */
export function closeMessage(state: SessionState, at: number): SessionState {
  const last = lastEntry(state.entries);
  if (!last || (last.kind !== 'agent' && last.kind !== 'thought') || last.endedAt !== undefined) return state;
  return { ...state, entries: replaceEntry(state.entries, state.entries.count - 1, { ...last, endedAt: at }) };
}

/** The newest entry, if a chunk of this role and message continues it. */
function openMessage(
  state: SessionState,
  role: 'user' | 'agent' | 'thought',
  messageId: string | undefined,
): UserEntry | MessageEntry | undefined {
  const last = lastEntry(state.entries);
  if (!last || last.kind !== role) return undefined;
  if (last.kind !== 'user' && last.endedAt !== undefined) return undefined;
  // A prompt has no id: what an agent says with one as the user is another message.
  const isUnnamed = last.messageId === undefined && role !== 'user';
  return messageId === undefined || isUnnamed || last.messageId === messageId ? last : undefined;
}

export function appendText(state: SessionState, action: Of<'textAppended'>): SessionState {
  // An empty chunk has no text (some agents send one for its _meta) and must not create an empty entry.
  if (action.text === '') return state;
  const open = openMessage(state, action.role, action.messageId);
  if (!open || open.blocks.length > 0) return appendMessage(state, action, action.text, []);
  const entry = { ...open, text: open.text + action.text };
  return { ...state, entries: replaceEntry(state.entries, state.entries.count - 1, entry) };
}

export function appendBlock(state: SessionState, action: Of<'blockAppended'>): SessionState {
  if (action.entry !== undefined) {
    const message = entryAt(state.entries, action.entry);
    if (message?.kind !== 'user') return state;
    const blocks = [action.block, ...message.blocks];
    return { ...state, entries: replaceEntry(state.entries, action.entry, { ...message, blocks }) };
  }
  const open = openMessage(state, action.role, action.messageId);
  if (!open) return appendMessage(state, action, '', [action.block]);
  const entry = { ...open, blocks: [...open.blocks, action.block] };
  return { ...state, entries: replaceEntry(state.entries, state.entries.count - 1, entry) };
}

function appendMessage(
  state: SessionState,
  action: Of<'textAppended'> | Of<'blockAppended'>,
  text: string,
  blocks: MessageEntry['blocks'],
): SessionState {
  const id = action.messageId === undefined ? {} : { messageId: action.messageId };
  const { role, at } = action;
  const expansion = action.type === 'textAppended' && role === 'user' ? action.expansion : undefined;
  const entry = { kind: role, text, ...(expansion && { expansion }), blocks, ...id, at };
  const closed = closeMessage(state, at);
  return { ...closed, entries: appendEntry(closed.entries, entry) };
}
