import { assertNever } from '../../../src/base/assert';
import type { ModelRequest } from '../player';
import type { OfferedTool } from '../toolForms';
import type { Said } from './conversation';
import { standing } from './conversation';
import type { AnswerPiece, Encoder, Route, WireForm } from './form';
import { MODELS, USAGE, event, isTool, joined, list, offeredTool, record, text } from './form';

/** OpenAI chat completions: POST …/chat/completions and GET …/models. */
export const openaiChat: WireForm = {
  name: 'openai-chat',
  route: (method, path): Route | undefined => {
    if (method === 'GET' && path.endsWith('/models')) return { kind: 'fixed', body: modelList() };
    if (method === 'POST' && path.endsWith('/chat/completions')) return { kind: 'model', read, encode };
    return undefined;
  },
};

function modelList(): unknown {
  return {
    object: 'list',
    data: Object.values(MODELS).map((id) => ({ id, object: 'model', created: 0, owned_by: 'scripted' })),
  };
}

function read(value: unknown): ModelRequest {
  const body = record(value, 'the body');
  const model = text(body['model'], 'model');
  const messages = list(body['messages'], 'messages').map((message, index) => record(message, `messages[${index}]`));
  return {
    ...standing(messages.flatMap(toHistory)),
    model,
    stream: body['stream'] === true,
    tools: body['tools'] === undefined ? [] : list(body['tools'], 'tools').map(toTool),
    auxiliary: auxiliary(model, body['response_format']),
  };
}

function toHistory(message: Readonly<Record<string, unknown>>, index: number): Said[] {
  if (message['role'] === 'user') return [{ role: 'user', text: contentText(message['content']) }];
  if (message['role'] === 'tool') return [{ role: 'result', text: contentText(message['content']) }];
  const calls = message['role'] === 'assistant' && Array.isArray(message['tool_calls']);
  return calls ? [{ role: 'call', turn: String(index) }] : [];
}

function auxiliary(model: string, format: unknown): ModelRequest['auxiliary'] {
  const schema = format === undefined ? undefined : schemaOf(record(format, 'response_format'));
  if (schema !== undefined) return { schema };
  return model === MODELS.small ? {} : undefined;
}

function schemaOf(format: Readonly<Record<string, unknown>>): unknown {
  if (format['type'] === 'json_object') return { type: 'object' };
  if (format['type'] !== 'json_schema') return undefined;
  return record(format['json_schema'], 'response_format.json_schema')['schema'] ?? {};
}

function toTool(tool: unknown, index: number): OfferedTool {
  const named = record(record(tool, `tools[${index}]`)['function'], `tools[${index}].function`);
  return offeredTool(named, named['parameters'], `tools[${index}].function`);
}

/** Content is a string or a list of parts; only text is used. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part, index) => record(part, `content[${index}]`)['text'])
    .filter((part) => typeof part === 'string')
    .join('\n');
}

function encode(request: ModelRequest): Encoder {
  const head = { id: `chatcmpl-${request.prompts}-${request.turnsPlayed + 1}`, created: 0, model: request.model };
  let tools = 0;
  const chunk = (delta: unknown, finish: string | null = null): string =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  return {
    begin: () => chunk({ role: 'assistant', content: '' }),
    piece: (piece) => chunk(delta(piece, piece.kind === 'tool' ? tools++ : 0)),
    end: () =>
      chunk({}, tools > 0 ? 'tool_calls' : 'stop') +
      event({ ...head, object: 'chat.completion.chunk', choices: [], usage: usage() }) +
      event('[DONE]'),
    whole: (pieces) => ({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message: message(pieces), finish_reason: pieces.some(isTool) ? 'tool_calls' : 'stop' }],
      usage: usage(),
    }),
    error: (status, text) => ({ error: { message: text, type: 'scripted_error', code: String(status) } }),
  };
}

/** `reasoning_content` is not part of OpenAI's API; compatible servers and clients use it for thoughts. */
function delta(piece: AnswerPiece, toolIndex: number): unknown {
  switch (piece.kind) {
    case 'text':
      return { content: piece.text };
    case 'thought':
      return { reasoning_content: piece.text };
    case 'tool':
      return { tool_calls: [{ index: toolIndex, ...toolCall(piece) }] };
    default:
      return assertNever(piece);
  }
}

function message(pieces: readonly AnswerPiece[]): unknown {
  const tools = pieces.filter(isTool);
  return {
    role: 'assistant',
    content: joined(pieces, 'text'),
    ...(joined(pieces, 'thought') === '' ? {} : { reasoning_content: joined(pieces, 'thought') }),
    ...(tools.length === 0 ? {} : { tool_calls: tools.map(toolCall) }),
  };
}

function toolCall(piece: AnswerPiece & { kind: 'tool' }): Record<string, unknown> {
  return {
    id: piece.id,
    type: 'function',
    function: { name: piece.call.name, arguments: JSON.stringify(piece.call.args) },
  };
}

function usage(): unknown {
  return { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: USAGE.input + USAGE.output };
}
