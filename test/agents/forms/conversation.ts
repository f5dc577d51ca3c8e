import type { ModelRequest } from '../player';

/** One thing said in the history that an agent sends along, in whichever form it came. */
export type Said =
  | { readonly role: 'user'; readonly text: string }
  /** A tool call of the model. `turn` is the same for calls of one answer. */
  | { readonly role: 'call'; readonly turn: string }
  | { readonly role: 'result'; readonly text: string };

/** Where a conversation stands: the part of a request that all forms read alike. */
export type Standing = Pick<ModelRequest, 'prompt' | 'prompts' | 'turnsPlayed' | 'toolResult'>;

/** What agents put into the user's messages by themselves. A message of nothing else is no prompt. */
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

/** Reads the position in the script off the history: the last prompt of the person, and what was done since. */
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
