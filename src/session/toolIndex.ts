import type { Action } from '../shared/actions';

/** Where each tool call stands in the transcript; follows the actions, so it is rebuilt by replaying them. */
export class ToolIndex {
  readonly #entries = new Map<string, number>();
  #turnStart = 0;

  /** @param count number of entries before the action took effect */
  follow(action: Action, count: number): void {
    if (action.type === 'promptSent') this.#turnStart = count;
    if (action.type === 'toolStarted') this.#entries.set(action.toolCallId, count);
  }

  /**
   * The entry of a tool call. An id that is announced again in a later turn is a new call
   * (seen on the wire: agents.md, section 8, point 4).
   */
  find(toolCallId: string, announced: boolean): number | undefined {
    const entry = this.#entries.get(toolCallId);
    return entry === undefined || (announced && entry < this.#turnStart) ? undefined : entry;
  }
}
