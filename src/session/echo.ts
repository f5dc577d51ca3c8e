import { asObject, asString } from '../base/json';
import type { JsonObject } from '../base/json';
import type { Action } from '../shared/actions';

/**
 * Some agents send the running prompt back as `user_message_chunk`s, whole or in pieces. It is in the transcript already, so its echo
 * is left out; anything else that the agent puts into the person's mouth is shown.
 */
export class Echo {
  /** The part of the running prompt that has not come back; undefined between turns. */
  #rest: string | undefined;
  #blocks: readonly string[] = [];

  follow(action: Action): void {
    if (action.type === 'promptSent') {
      this.#rest = action.text;
      this.#blocks = action.blocks.map(keyOf);
    } else if (action.type === 'turnEnded') {
      this.#rest = undefined;
      this.#blocks = [];
    }
  }

  /** True when this update only repeats the prompt. */
  swallows(update: JsonObject): boolean {
    if (update['sessionUpdate'] !== 'user_message_chunk' || this.#rest === undefined) return false;
    const content = asObject(update['content']);
    if (content?.['type'] !== 'text') return content !== undefined && this.#blocks.includes(wireKey(content));
    return this.#take(asString(content['text']) ?? '', this.#rest);
  }

  #take(text: string, rest: string): boolean {
    // Agents differ in what they do to the white space around a prompt.
    const [piece, left] = rest.startsWith(text) ? [text, rest] : [text.trim(), rest.trimStart()];
    if (!left.startsWith(piece)) return false;
    this.#rest = left.slice(piece.length);
    return true;
  }
}

/** What tells a block from another, in our shape and on the wire. */
function keyOf(block: { readonly type: string; readonly uri?: string; readonly data?: string }): string {
  return block.uri ?? block.data ?? '';
}

function wireKey(content: JsonObject): string {
  const uri = asString(content['uri']) ?? asString(asObject(content['resource'])?.['uri']);
  return uri ?? asString(content['data']) ?? '\0';
}
