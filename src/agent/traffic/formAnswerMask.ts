import type { JsonObject } from '../../base/json';
import { asObject, asString, isObject } from '../../base/json';
import { MASK } from '../../base/redactor';

/**
 * Masks what users enter in forms, whatever the properties are named: the content of each response to `elicitation/create` and of the
 * `inputResponses` of a repeated MCP request (2026-07-28), and the answers to the tool `ask` and to `cursor/ask_question`.
 */
export class FormAnswerMask {
  /** Numbers of open requests by id; an agent may use an id twice. */
  readonly #forms = new Map<string, number>();
  readonly #questions = new Map<string, number>();

  /** @returns the message to record; the same object unless it is the answer of a form */
  mask(dir: 'in' | 'out', message: unknown): unknown {
    if (!isObject(message) || message['id'] === undefined) return message;
    if ('method' in message) this.#countRequest(dir, message);
    return 'method' in message ? withMaskedInputs(message) : this.#maskResponse(dir, message);
  }

  #countRequest(dir: 'in' | 'out', message: JsonObject): void {
    const id = JSON.stringify(message['id']);
    if (dir === 'out') return;
    if (message['method'] === 'elicitation/create') count(this.#forms, id, 1);
    else if (isQuestion(message)) count(this.#questions, id, 1);
  }

  #maskResponse(dir: 'in' | 'out', message: JsonObject): JsonObject {
    if (dir === 'in') return message;
    const id = JSON.stringify(message['id']);
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

/** The request with masked answers: of MCP, or of MCP over ACP, whose `params` have its method and `params`. */
function withMaskedInputs(message: JsonObject): JsonObject {
  const params = asObject(message['params']);
  if (!params) return message;
  if (message['method'] === 'mcp/message') {
    const inner = withMaskedInputs(params);
    return inner === params ? message : { ...message, params: inner };
  }
  const responses = asObject(params['inputResponses']);
  if (!responses) return message;
  const entries = Object.entries(responses).map(([key, value]) => [
    key,
    isForm(value) ? withMaskedContent(value) : value,
  ]);
  return { ...message, params: { ...params, inputResponses: Object.fromEntries(entries) } };
}

/** The other inputs, of sampling and roots, have no action. */
function isForm(value: unknown): value is JsonObject {
  return isObject(value) && typeof value['action'] === 'string' && value['content'] !== undefined;
}

/** A question of Cursor, or a call of the tool `ask`: in MCP, or in MCP over ACP, on a connection or alone. */
function isQuestion({ method, params }: JsonObject): boolean {
  if (method === 'cursor/ask_question') return true;
  const { method: called, params: call } = method === 'mcp/message' ? (asObject(params) ?? {}) : { method, params };
  return called === 'tools/call' && /(?:^|__)ask$/.test(asString(asObject(call)?.['name']) ?? '');
}

const HIDDEN: ReadonlySet<string> = new Set(['text', 'answer', 'selectedOptionIds']);

/** The result of a tool without its texts, and without the answer in its structured content; also in an envelope. */
function withoutAnswer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnswer);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, HIDDEN.has(key) ? MASK : withoutAnswer(item)]);
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
