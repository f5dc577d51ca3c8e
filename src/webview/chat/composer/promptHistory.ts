import { entryAt } from '../../../shared/state/entryPages';
import type { SessionState } from '../../../shared/state/sessionState';

/** Steps through the earlier prompts of a session like a shell. */
export class PromptHistory {
  /** Undefined while the user writes a new text. */
  #at: number | undefined;
  #shown = '';

  /** Undefined when the box has the user's own text, or there is no earlier prompt. */
  earlier(state: SessionState | undefined, text: string): string | undefined {
    if (!state || !this.#isBrowsing(text)) return undefined;
    return this.#walk(state, (this.#at ?? state.entries.count) - 1, -1);
  }

  /** The next prompt, finally an empty text. */
  later(state: SessionState | undefined, text: string): string | undefined {
    if (!state || this.#at === undefined || !this.#isBrowsing(text)) return undefined;
    const found = this.#walk(state, this.#at + 1, 1);
    if (found !== undefined) return found;
    this.#at = undefined;
    this.#shown = '';
    return '';
  }

  #isBrowsing(text: string): boolean {
    if (text === '') this.#at = undefined;
    return text === '' || (this.#at !== undefined && text === this.#shown);
  }

  #walk(state: SessionState, from: number, step: 1 | -1): string | undefined {
    for (let index = from; index >= 0 && index < state.entries.count; index += step) {
      const entry = entryAt(state.entries, index);
      if (entry?.kind !== 'user' || entry.text === '' || entry.text === this.#shown) continue;
      this.#at = index;
      this.#shown = entry.text;
      return entry.text;
    }
    return undefined;
  }
}

export function lastPrompt(state: SessionState | undefined): number | undefined {
  if (!state) return undefined;
  for (let index = state.entries.count - 1; index >= 0; index--) {
    if (entryAt(state.entries, index)?.kind === 'user') return index;
  }
  return undefined;
}
