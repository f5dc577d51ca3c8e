import { asObject, isObject } from '../../base/json';
import { MASK } from '../../base/redactor';

/** Masks what users enter in forms: the content of each response to `elicitation/create`, whatever its properties are named. */
export class FormAnswerMask {
  /** Number of open requests by id; an agent may use an id twice. */
  readonly #open = new Map<string, number>();

  /** @returns the message to record; the same object unless it is the answer of a form */
  mask(dir: 'in' | 'out', message: unknown): unknown {
    if (!isObject(message) || message['id'] === undefined) return message;
    const id = JSON.stringify(message['id']);
    const open = this.#open.get(id) ?? 0;
    if (dir === 'in') {
      if (message['method'] === 'elicitation/create') this.#open.set(id, open + 1);
      return message;
    }
    const result = asObject(message['result']);
    // Without an action, it responds to another request with the same id.
    const isOther = open === 0 || 'method' in message || (result && typeof result['action'] !== 'string');
    if (isOther) return message;
    if (open === 1) this.#open.delete(id);
    else this.#open.set(id, open - 1);
    return result?.['content'] === undefined ? message : { ...message, result: withMaskedContent(result) };
  }
}

function withMaskedContent(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { content } = result;
  if (!isObject(content)) return { ...result, content: MASK };
  return {
    ...result,
    content: Object.fromEntries(Object.entries(content).map(([key, value]) => [key, masked(value)])),
  };
}

/** The property names of an object are entered by the user, too. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  return value === null || typeof value === 'boolean' ? value : MASK;
}
