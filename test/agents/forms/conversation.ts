import type { ModelRequest } from '../player';

/** One item of the history that an agent sends, independent of the wire format. */
export type Said =
  | { readonly role: 'user'; readonly text: string }
  /** A tool call of the model. Calls of one answer have the same `turn`. */
  | { readonly role: 'call'; readonly turn: string }
  | { readonly role: 'result'; readonly text: string };

/** Position in a conversation: the part of a request that all formats have in common. */
export type Standing = Pick<ModelRequest, 'prompt' | 'prompts' | 'turnsPlayed' | 'toolResult'>;

/** Prefixes of text that agents add to user messages. A message with nothing else is not a prompt. */
const ADDED = [
  'system-reminder',
  'environment_context',
  'session_context',
  'user_instructions',
  'system_reminder',
  'environment_details',
  'current_datetime',
  'reminder',
  'tagged_files',
];
const ADDED_BLOCKS = new RegExp(String.raw`<(${ADDED.join('|')})\b[^>]*>[\s\S]*?</\1>`, 'g');

/** Derives the script position from the history: the last user prompt and the tool results since then. */
export function standing(history: readonly Said[]): Standing {
  const said = history
    .map((item) => (item.role === 'user' ? { ...item, text: item.text.replace(ADDED_BLOCKS, '').trim() } : item))
    .filter((item) => item.role !== 'user' || item.text !== '');
  const start = said.findLastIndex((item) => item.role === 'user');
  const since = said.slice(start + 1);
  const prompt = said[start];
  return {
    prompt: prompt?.role === 'user' ? prompt.text : '',
    prompts: said.filter((item) => item.role === 'user').length,
    turnsPlayed: new Set(since.flatMap((item) => (item.role === 'call' ? [item.turn] : []))).size,
    toolResult: since.findLast((item) => item.role === 'result')?.text,
  };
}
