import { lastChars } from '../base/text';
import type { Action } from '../shared/state/sessionActions';
import { TERMINAL_TAIL } from '../shared/state/terminalState';

type Output = Extract<Action, { type: 'terminalOutput' }>;

/** UTF-16 units of one command's output that are written as they come. */
const AT_ONCE = 2 * TERMINAL_TAIL;
/** Units held back at most; then the older half goes, which nobody sees any more: a card keeps at most `2 * TERMINAL_TAIL`. */
const HELD = 4 * TERMINAL_TAIL;

/**
 * Keeps a command that writes without end from filling the disk: of its output the beginning is written as it comes, and of the
 * rest what a card keeps, when the command ends or the transcript is closed. A crash before that costs that rest and nothing else.
 */
export class TerminalOutputCap {
  readonly #written = new Map<string, number>();
  readonly #held = new Map<string, string>();

  /** What is to be written of an action; everything but such output is. */
  pass(action: Action): readonly Action[] {
    if (action.type === 'terminalExited') return [...this.#release(action.terminalId), action];
    if (action.type !== 'terminalOutput') return [action];
    const { terminalId, data } = action;
    const written = this.#written.get(terminalId) ?? 0;
    if (written < AT_ONCE) {
      this.#written.set(terminalId, written + data.length);
      return [action];
    }
    const held = (this.#held.get(terminalId) ?? '') + data;
    this.#held.set(terminalId, held.length > HELD ? lastChars(held, HELD / 2) : held);
    return [];
  }

  /** What was held back. */
  rest(): readonly Action[] {
    return Array.from(this.#held.keys()).flatMap((terminalId) => this.#release(terminalId));
  }

  #release(terminalId: string): Output[] {
    const data = this.#held.get(terminalId);
    this.#held.delete(terminalId);
    return data === undefined ? [] : [{ type: 'terminalOutput', terminalId, data }];
  }
}
