import type { Action } from '../../shared/state/sessionActions';
import { mergeActions } from '../../shared/state/mergeActions';

/** Numbered actions that wait to be posted, in order. */
export class PendingActions {
  #actions: Action[] = [];
  /** The number of each pending action; for merged actions, that of the last one. */
  #numbers: number[] = [];
  #text = 0;
  #isOnlyOutput = false;

  get length(): number {
    return this.#actions.length;
  }

  /** UTF-16 units of text and output. */
  get text(): number {
    return this.#text;
  }

  /** There is output of commands, and nothing else. */
  get isOnlyOutput(): boolean {
    return this.#isOnlyOutput;
  }

  push(action: Action, number: number): void {
    this.#isOnlyOutput = (this.#isOnlyOutput || this.#actions.length === 0) && isOutput(action);
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

  /**
   * Removes at most `max` actions from the start; call it only with pending actions.
   * @returns with the number of the last action
   */
  take(max: number): { readonly actions: readonly Action[]; readonly last: number } {
    const actions = this.#actions.splice(0, max);
    const last = this.#numbers.splice(0, max).at(-1) ?? 0;
    for (const action of actions) this.#text -= textLength(action);
    this.#isOnlyOutput = this.#actions.length > 0 && this.#actions.every(isOutput);
    return { actions, last };
  }

  clear(): void {
    this.#actions = [];
    this.#numbers = [];
    this.#text = 0;
    this.#isOnlyOutput = false;
  }
}

/** Whether an action only appends output of a command, which is read less closely than text. */
export function isOutput(action: Action): boolean {
  if (action.type === 'subagentActed') return isOutput(action.action);
  return action.type === 'terminalOutput' || action.type === 'toolOutputAppended';
}

function textLength(action: Action): number {
  if (action.type === 'subagentActed') return textLength(action.action);
  if (action.type === 'textAppended' || action.type === 'toolOutputAppended') return action.text.length;
  return action.type === 'terminalOutput' ? action.data.length : 0;
}
