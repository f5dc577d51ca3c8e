import type { ModelRequest } from '../player';
import type { OfferedTool } from '../toolForms';
import type { Said } from './conversation';
import { standing } from './conversation';
import type { AnswerPiece, Encoder, Route, ToolPiece, WireForm } from './form';
import { MODELS, USAGE, isTool, list, namedEvent, offeredTool, record, text } from './form';

/** OpenAI responses: POST …/responses. openaiChat.ts serves the model list. */
export const openaiResponses: WireForm = {
  name: 'openai-responses',
  route: (method, path): Route | undefined =>
    method === 'POST' && path.endsWith('/responses') ? { kind: 'model', read, encode } : undefined,
};

type Item = Readonly<Record<string, unknown>>;

function read(value: unknown): ModelRequest {
  const body = record(value, 'the body');
  const model = text(body['model'], 'model');
  return {
    ...standing(inputItems(body['input']).flatMap(toHistory)),
    model,
    stream: body['stream'] === true,
    tools: body['tools'] === undefined ? [] : list(body['tools'], 'tools').flatMap(toTool),
    auxiliary: auxiliary(model, body['text']),
  };
}

function inputItems(input: unknown): readonly Item[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return list(input, 'input').map((item, index) => record(item, `input[${index}]`));
}

function toHistory(item: Item): Said[] {
  switch (item['type'] ?? 'message') {
    case 'message':
      return item['role'] === 'user' ? [{ role: 'user', text: contentText(item['content']) }] : [];
    case 'function_call':
    case 'custom_tool_call':
      // The history does not group the calls of one answer; their ids (see player.ts) identify the answer.
      return [{ role: 'call', turn: text(item['call_id'], 'call_id').replace(/_\d+$/, '') }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ role: 'result', text: contentText(item['output']) }];
    default:
      return [];
  }
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => record(part, 'a content part')['text'])
    .filter((part) => typeof part === 'string')
    .join('\n');
}

/** Functions and tools that take text; the provider's built-in tools (web search) have no name and are skipped. */
function toTool(value: unknown, index: number): OfferedTool[] {
  const tool = record(value, `tools[${index}]`);
  if (tool['type'] === 'function') return [offeredTool(tool, tool['parameters'], `tools[${index}]`)];
  if (tool['type'] === 'custom') return [offeredTool(tool, undefined, `tools[${index}]`)];
  if (tool['type'] === 'tool_search') return [{ name: 'tool_search', parameters: undefined }];
  if (tool['type'] === 'namespace') {
    const namespace = text(tool['name'], `tools[${index}].name`);
    return list(tool['tools'], `tools[${index}].tools`)
      .flatMap(toTool)
      .map((inner) => ({ ...inner, namespace }));
  }
  return [];
}

function auxiliary(model: string, output: unknown): ModelRequest['auxiliary'] {
  const format = output === undefined ? undefined : record(output, 'text')['format'];
  const schema = format === undefined ? undefined : record(format, 'text.format')['schema'];
  if (schema !== undefined) return { schema };
  return model === MODELS.small ? {} : undefined;
}

function encode(request: ModelRequest): Encoder {
  const id = `resp_${request.prompts}_${request.turnsPlayed + 1}`;
  const head = { id, object: 'response', created_at: 0, model: request.model };
  const stream = new ItemStream(id);
  const completed = (output: readonly unknown[]): Item => ({ ...head, status: 'completed', output, usage: usage() });
  return {
    begin: () => stream.event('response.created', { response: { ...head, status: 'in_progress', output: [] } }),
    piece: (piece) => stream.piece(piece),
    end: () => stream.close() + stream.event('response.completed', { response: completed(stream.done) }),
    whole: (pieces) => {
      for (const piece of pieces) stream.piece(piece);
      stream.close();
      return completed(stream.done);
    },
    error: (status, text) => ({ error: { message: text, type: 'scripted_error', code: String(status) } }),
  };
}

interface OpenItem {
  readonly kind: 'text' | 'thought';
  readonly id: string;
  text: string;
}

/** Output items are numbered, added and finished; consecutive chunks of the same kind share an item. */
class ItemStream {
  readonly done: Item[] = [];
  private readonly response: string;
  private open: OpenItem | undefined;
  private sequence = 0;

  constructor(response: string) {
    this.response = response;
  }

  piece(piece: AnswerPiece): string {
    if (isTool(piece)) return this.close() + this.whole(toolItem(piece, `${this.response}_${this.done.length}`));
    const start = this.open?.kind === piece.kind ? '' : this.close() + this.start(piece.kind);
    if (this.open !== undefined) this.open.text += piece.text;
    return start + this.part(piece.kind, 'delta', { delta: piece.text });
  }

  close(): string {
    const { open } = this;
    if (open === undefined) return '';
    const end = this.part(open.kind, 'done', { text: open.text });
    this.open = undefined;
    const item = textItem(open);
    const done = this.event('response.output_item.done', { output_index: this.done.length, item });
    this.done.push(item);
    return end + done;
  }

  event(type: string, data: Item): string {
    return namedEvent(type, { sequence_number: this.sequence++, ...data });
  }

  private start(kind: OpenItem['kind']): string {
    this.open = { kind, id: `${this.response}_${this.done.length}`, text: '' };
    const item = { ...textItem(this.open), ...(kind === 'thought' ? { summary: [] } : { content: [] }) };
    const added = this.event('response.output_item.added', { output_index: this.done.length, item });
    const place = { item_id: this.open.id, output_index: this.done.length };
    if (kind === 'text')
      return added + this.event('response.content_part.added', { ...place, content_index: 0, part: outputText('') });
    const part = { type: 'summary_text', text: '' };
    return added + this.event('response.reasoning_summary_part.added', { ...place, summary_index: 0, part });
  }

  private part(kind: OpenItem['kind'], what: 'delta' | 'done', data: Item): string {
    const [name, index] =
      kind === 'text' ? ['output_text', 'content_index'] : ['reasoning_summary_text', 'summary_index'];
    const place = { item_id: this.open?.id, output_index: this.done.length, [index]: 0 };
    return this.event(`response.${name}.${what}`, { ...place, ...data });
  }

  private whole(item: Item): string {
    const place = { output_index: this.done.length };
    this.done.push(item);
    return (
      this.event('response.output_item.added', { ...place, item }) +
      this.event('response.output_item.done', { ...place, item })
    );
  }
}

function outputText(text: string): Item {
  return { type: 'output_text', text, annotations: [] };
}

function textItem({ kind, id, text }: OpenItem): Item {
  return kind === 'text'
    ? { type: 'message', id, role: 'assistant', status: 'completed', content: [outputText(text)] }
    : { type: 'reasoning', id, summary: [{ type: 'summary_text', text }] };
}

function toolItem({ id: call_id, call }: ToolPiece, id: string): Item {
  const { name, namespace } = call;
  const common = { id, call_id, name, status: 'completed', ...(namespace !== undefined && { namespace }) };
  return call.input === undefined
    ? { type: 'function_call', ...common, arguments: JSON.stringify(call.args) }
    : { type: 'custom_tool_call', ...common, input: call.input };
}

function usage(): unknown {
  return {
    input_tokens: USAGE.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USAGE.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USAGE.input + USAGE.output,
  };
}
