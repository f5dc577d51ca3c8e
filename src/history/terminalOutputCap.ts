import { lastChars } from '../base/text';
import type { Action } from '../shared/state/sessionActions';
import { MAX_TERMINAL_TAIL_CHARS } from '../shared/state/terminalState';

type Output = Extract<Action, { type: 'terminalOutput' }>;

/** UTF-16 units of one command's output that are written immediately. */
const MAX_IMMEDIATE = 2 * MAX_TERMINAL_TAIL_CHARS;
/** Maximum UTF-16 units that are retained. Beyond it the older half is dropped, since a card shows at most `2 * MAX_TERMINAL_TAIL_CHARS`. */
const MAX_RETAINED = 4 * MAX_TERMINAL_TAIL_CHARS;

/**
 * Limits the output of a command in the transcript, so that an endless command does not fill the disk. The beginning is written
 * immediately; of the rest, only what a card shows is written, when the command ends or the transcript is closed. A crash loses only this
 * rest.
 */
export class TerminalOutputCap {
  readonly #written = new Map<string, number>();
  readonly #held = new Map<string, string>();

  /** The actions to write now; every action that is not terminal output passes unchanged. */
  pass(action: Action): readonly Action[] {
    if (action.type === 'terminalExited') return [...this.#release(action.terminalId), action];
    if (action.type !== 'terminalOutput') return [action];
    const { terminalId, data } = action;
    const written = this.#written.get(terminalId) ?? 0;
    if (written < MAX_IMMEDIATE) {
      this.#written.set(terminalId, written + data.length);
      return [action];
    }
    const held = (this.#held.get(terminalId) ?? '') + data;
    this.#held.set(terminalId, held.length > MAX_RETAINED ? lastChars(held, MAX_RETAINED / 2) : held);
    return [];
  }

  /** Writes the retained output of all commands. */
  rest(): readonly Action[] {
    return Array.from(this.#held.keys()).flatMap((terminalId) => this.#release(terminalId));
  }

  #release(terminalId: string): Output[] {
    const data = this.#held.get(terminalId);
    this.#held.delete(terminalId);
    return data === undefined ? [] : [{ type: 'terminalOutput', terminalId, data }];
  }
}
