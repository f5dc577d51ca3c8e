import type { JsonObject } from '../../base/json';
import { asObject, asString, isObject } from '../../base/json';
import { MASK } from '../../base/redactor';

/**
 * Masks what users enter in forms: the content of each response to `elicitation/create`, whatever its properties are named, and the answers to
 * the tool `ask`.
 */
export class FormAnswerMask {
  /** Numbers of open requests by id; an agent may use an id twice. */
  readonly #forms = new Map<string, number>();
  readonly #questions = new Map<string, number>();

  /** @returns the message to record; the same object unless it is the answer of a form */
  mask(dir: 'in' | 'out', message: unknown): unknown {
    if (!isObject(message) || message['id'] === undefined) return message;
    const id = JSON.stringify(message['id']);
    if (dir === 'in') {
      if (message['method'] === 'elicitation/create') count(this.#forms, id, 1);
      else if (isQuestion(message)) count(this.#questions, id, 1);
      return message;
    }
    if ('method' in message) return message;
    const result = asObject(message['result']);
    // Without an action, it responds to another request with the same id.
    if (this.#forms.has(id) && (!result || typeof result['action'] === 'string')) {
      count(this.#forms, id, -1);
      return result?.['content'] === undefined ? message : { ...message, result: withMaskedContent(result) };
    }
    if (!this.#questions.has(id)) return message;
    count(this.#questions, id, -1);
    return { ...message, ...(result && { result: withoutAnswer(result) }) };
  }
}

function count(open: Map<string, number>, id: string, change: 1 | -1): void {
  const left = (open.get(id) ?? 0) + change;
  if (left === 0) open.delete(id);
  else open.set(id, left);
}

/** A call of the tool `ask`: in MCP, or in MCP over ACP, on a connection or alone. */
function isQuestion({ method, params }: JsonObject): boolean {
  const { method: called, params: call } = method === 'mcp/message' ? (asObject(params) ?? {}) : { method, params };
  return called === 'tools/call' && /(?:^|__)ask$/.test(asString(asObject(call)?.['name']) ?? '');
}

/** The result of a tool without its texts, and without the answer in its structured content; also in an envelope. */
function withoutAnswer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnswer);
  if (!isObject(value)) return value;
  const isHidden = (key: string): boolean => key === 'text' || key === 'answer';
  const fields = Object.entries(value).map(([key, item]) => [key, isHidden(key) ? MASK : withoutAnswer(item)]);
  return Object.fromEntries(fields);
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
