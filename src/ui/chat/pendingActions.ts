import { mergeActions } from '../../shared/state/mergeActions';
import type { Action } from '../../shared/state/sessionActions';

interface ActionBatch {
  readonly actions: readonly Action[];
  /** Number of the last action in it. */
  readonly last: number;
}

/** Numbered actions that wait to be posted, in order. */
export class PendingActions {
  #actions: Action[] = [];
  /** The number of each pending action; for merged actions, that of the last one. */
  #numbers: number[] = [];
  #text = 0;

  get length(): number {
    return this.#actions.length;
  }

  /** UTF-16 units of text and output. */
  get text(): number {
    return this.#text;
  }

  push(action: Action, number: number): void {
    this.#actions.push(action);
    this.#numbers.push(number);
    this.#text += textLength(action);
  }

  merge(): void {
    const ends: number[] = [];
    const merged = mergeActions(this.#actions, ends);
    this.#numbers = ends.map((end) => this.#numbers[end] ?? 0);
    this.#actions = merged;
  }

  /** Removes at most `max` actions from the start; call it only with pending actions. */
  take(max: number): ActionBatch {
    const actions = this.#actions.splice(0, max);
    const last = this.#numbers.splice(0, max).at(-1) ?? 0;
    for (const action of actions) this.#text -= textLength(action);
    return { actions, last };
  }

  clear(): void {
    this.#actions = [];
    this.#numbers = [];
    this.#text = 0;
  }
}

function textLength(action: Action): number {
  if (action.type === 'textAppended') return action.text.length;
  return action.type === 'terminalOutput' ? action.data.length : 0;
}
