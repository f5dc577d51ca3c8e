import { assertNever } from '../../../src/base/assert';
import type { ModelRequest } from '../player';
import type { Said } from './conversation';
import { standing } from './conversation';
import type { AnswerPiece, Encoder, Route, WireForm } from './form';
import { MODELS, USAGE, isTool, joined, list, namedEvent, offeredTool, record, text } from './form';

/** Anthropic messages: POST …/messages and …/messages/count_tokens, GET …/models, all below /anthropic. */
export const anthropicMessages: WireForm = {
  name: 'anthropic-messages',
  route: (method, path): Route | undefined => {
    // Has a path prefix: without it the model list would have the same path as OpenAI's.
    if (!path.startsWith('/anthropic/')) return undefined;
    if (method === 'GET' && path.endsWith('/models')) return { kind: 'fixed', body: modelList() };
    if (method === 'POST' && path.endsWith('/messages/count_tokens'))
      return { kind: 'fixed', body: { input_tokens: USAGE.input } };
    if (method === 'POST' && path.endsWith('/messages')) return { kind: 'model', read, encode };
    return undefined;
  },
};

function modelList(): unknown {
  const data = Object.values(MODELS).map((id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-01-01T00:00:00Z',
  }));
  return { data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id };
}

function read(value: unknown): ModelRequest {
  const body = record(value, 'the body');
  const model = text(body['model'], 'model');
  const messages = list(body['messages'], 'messages').map((message, index) => record(message, `messages[${index}]`));
  const tools = body['tools'] === undefined ? [] : list(body['tools'], 'tools');
  return {
    ...standing(messages.flatMap(toHistory)),
    model,
    stream: body['stream'] === true,
    tools: tools.map((tool, index) => {
      const offered = record(tool, `tools[${index}]`);
      return offeredTool(offered, offered['input_schema'], `tools[${index}]`);
    }),
    auxiliary: auxiliary(model, body),
  };
}

/** Titles and other auxiliary requests use the small model or have no tools. */
function auxiliary(model: string, body: Readonly<Record<string, unknown>>): ModelRequest['auxiliary'] {
  const config = body['output_config'] === undefined ? {} : record(body['output_config'], 'output_config');
  const format = config['format'] ?? body['output_format'];
  if (format !== undefined) return { schema: record(format, 'the output format')['schema'] ?? {} };
  const hasTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  return model === MODELS.small || !hasTools ? {} : undefined;
}

function toHistory(message: Readonly<Record<string, unknown>>, index: number): Said[] {
  const content = message['content'];
  if (typeof content === 'string') return message['role'] === 'user' ? [{ role: 'user', text: content }] : [];
  const blocks = list(content, `messages[${index}].content`).map((block) => record(block, 'a content block'));
  if (message['role'] === 'assistant')
    return blocks.some((block) => block['type'] === 'tool_use') ? [{ role: 'call', turn: String(index) }] : [];
  // Claude also inserts "system" messages between the others.
  if (message['role'] !== 'user') return [];
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  return [
    ...results.map((block): Said => ({ role: 'result', text: contentText(block['content']) })),
    { role: 'user', text: contentText(blocks) },
  ];
}

/** Content is a string or a list of blocks; only text is used. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => record(block, 'a content block')['text'])
    .filter((part) => typeof part === 'string')
    .join('\n');
}

function encode(request: ModelRequest): Encoder {
  const message = {
    id: `msg_${request.prompts}_${request.turnsPlayed + 1}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    stop_sequence: null,
  };
  const blocks = new BlockStream();
  let tools = 0;
  const stopReason = (): string => (tools > 0 ? 'tool_use' : 'end_turn');
  return {
    begin: () =>
      namedEvent('message_start', { message: { ...message, content: [], stop_reason: null, usage: usage(0) } }),
    piece: (piece) => {
      if (piece.kind === 'tool') tools++;
      return blocks.piece(piece);
    },
    end: () =>
      blocks.close() +
      namedEvent('message_delta', {
        delta: { stop_reason: stopReason(), stop_sequence: null },
        usage: { output_tokens: USAGE.output },
      }) +
      namedEvent('message_stop', {}),
    whole: (pieces) => {
      tools = pieces.filter(isTool).length;
      return { ...message, content: content(pieces), stop_reason: stopReason(), usage: usage(USAGE.output) };
    },
    error: (_status, text) => ({ type: 'error', error: { type: 'scripted_error', message: text } }),
  };
}

/** Content blocks are numbered, started and stopped; consecutive chunks of the same kind share a block. */
class BlockStream {
  private index = -1;
  private open: AnswerPiece['kind'] | undefined;

  piece(piece: AnswerPiece): string {
    const continues = this.open === piece.kind && piece.kind !== 'tool';
    return (continues ? '' : this.close() + this.start(piece)) + this.delta(piece);
  }

  close(): string {
    if (this.open === undefined) return '';
    const signature =
      this.open === 'thought'
        ? this.event('content_block_delta', { delta: { type: 'signature_delta', signature: 's' } })
        : '';
    this.open = undefined;
    return signature + this.event('content_block_stop', {});
  }

  private start(piece: AnswerPiece): string {
    this.index++;
    this.open = piece.kind;
    return this.event('content_block_start', { content_block: emptyBlock(piece) });
  }

  private delta(piece: AnswerPiece): string {
    switch (piece.kind) {
      case 'text':
        return this.event('content_block_delta', { delta: { type: 'text_delta', text: piece.text } });
      case 'thought':
        return this.event('content_block_delta', { delta: { type: 'thinking_delta', thinking: piece.text } });
      case 'tool':
        return this.event('content_block_delta', {
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(piece.call.args) },
        });
      default:
        return assertNever(piece);
    }
  }

  private event(type: string, data: Readonly<Record<string, unknown>>): string {
    return namedEvent(type, { index: this.index, ...data });
  }
}

function emptyBlock(piece: AnswerPiece): unknown {
  if (piece.kind === 'text') return { type: 'text', text: '' };
  if (piece.kind === 'thought') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: piece.id, name: piece.call.name, input: {} };
}

function content(pieces: readonly AnswerPiece[]): unknown[] {
  const thinking = joined(pieces, 'thought');
  const text = joined(pieces, 'text');
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature: 's' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...pieces.filter(isTool).map(({ id, call }) => ({ type: 'tool_use', id, name: call.name, input: call.args })),
  ];
}

function usage(output: number): unknown {
  return {
    input_tokens: USAGE.input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}
