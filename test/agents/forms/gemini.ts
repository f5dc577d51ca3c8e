import { assertNever } from '../../../src/base/assert';
import type { ModelRequest } from '../player';
import type { OfferedTool } from '../toolForms';
import type { Said } from './conversation';
import { standing } from './conversation';
import type { AnswerPiece, Encoder, Route, WireForm } from './form';
import { MODELS, USAGE, event, isTool, list, offeredTool, record } from './form';

/** Gemini: POST …/models/<model>:generateContent, :streamGenerateContent and :countTokens, GET …/models, below /gemini. */
export const gemini: WireForm = {
  name: 'gemini',
  route: (method, path): Route | undefined => {
    // Has a path prefix: without it the model list would have the same path as OpenAI's.
    if (!path.startsWith('/gemini/')) return undefined;
    if (method === 'GET' && path.endsWith('/models')) return { kind: 'fixed', body: modelList() };
    const [, model, verb] = /\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
    if (method !== 'POST' || model === undefined) return undefined;
    if (verb === 'countTokens') return { kind: 'fixed', body: { totalTokens: USAGE.input } };
    const stream = verb === 'streamGenerateContent';
    if (!stream && verb !== 'generateContent') return undefined;
    return { kind: 'model', read: (body) => read(body, model, stream), encode };
  },
};

function modelList(): unknown {
  const supportedGenerationMethods = ['generateContent', 'countTokens'];
  return {
    models: Object.values(MODELS).map((id) => ({ name: `models/${id}`, displayName: id, supportedGenerationMethods })),
  };
}

type Part = Readonly<Record<string, unknown>>;

function read(value: unknown, model: string, stream: boolean): ModelRequest {
  const body = record(value, 'the body');
  const tools = body['tools'] === undefined ? [] : list(body['tools'], 'tools');
  const config = body['generationConfig'] === undefined ? {} : record(body['generationConfig'], 'generationConfig');
  return {
    ...standing(list(body['contents'], 'contents').flatMap(toHistory)),
    model,
    stream,
    tools: tools.flatMap(toTools),
    auxiliary: auxiliary(config, tools.length > 0),
  };
}

/** Routers and checkers request JSON or provide no tools. */
function auxiliary(config: Readonly<Record<string, unknown>>, hasTools: boolean): ModelRequest['auxiliary'] {
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  if (schema !== undefined) return { schema };
  if (config['responseMimeType'] === 'application/json') return { schema: { type: 'object' } };
  return hasTools ? undefined : {};
}

function toHistory(value: unknown, index: number): Said[] {
  const content = record(value, `contents[${index}]`);
  const parts = list(content['parts'] ?? [], `contents[${index}].parts`).map((part) => record(part, 'a part'));
  if (content['role'] === 'model')
    return parts.some((part) => 'functionCall' in part) ? [{ role: 'call', turn: String(index) }] : [];
  const results = parts.filter((part) => 'functionResponse' in part);
  const texts = parts.map((part) => part['text']).filter((part) => typeof part === 'string');
  return [
    ...results.map((part): Said => ({ role: 'result', text: responseText(part) })),
    { role: 'user', text: texts.join('\n') },
  ];
}

function responseText(part: Part): string {
  const response = record(record(part['functionResponse'], 'functionResponse')['response'] ?? {}, 'response');
  const text = response['output'] ?? response['error'];
  return typeof text === 'string' ? text : JSON.stringify(response);
}

function toTools(value: unknown, index: number): OfferedTool[] {
  const declared = record(value, `tools[${index}]`)['functionDeclarations'];
  if (declared === undefined) return [];
  return list(declared, 'functionDeclarations').map((item) => {
    const tool = record(item, 'a function declaration');
    return offeredTool(tool, tool['parametersJsonSchema'] ?? tool['parameters'], 'a function declaration');
  });
}

function encode(request: ModelRequest): Encoder {
  const head = { modelVersion: request.model, responseId: `resp-${request.prompts}-${request.turnsPlayed + 1}` };
  const chunk = (parts: readonly Part[], more: Part = {}, usage: Part = {}): Part => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    ...usage,
    ...head,
  });
  const end = { finishReason: 'STOP' };
  return {
    begin: () => '',
    piece: (piece) => event(chunk([toPart(piece)])),
    end: () => event(chunk([], end, usage())),
    whole: (pieces) => chunk(merge(pieces), end, usage()),
    error: (status, message) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
  };
}

function toPart(piece: AnswerPiece): Part {
  switch (piece.kind) {
    case 'text':
      return { text: piece.text };
    case 'thought':
      return { text: piece.text, thought: true };
    case 'tool':
      return { functionCall: { id: piece.id, name: piece.call.name, args: piece.call.args } };
    default:
      return assertNever(piece);
  }
}

function merge(pieces: readonly AnswerPiece[]): Part[] {
  const merged: AnswerPiece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last !== undefined && !isTool(last) && !isTool(piece) && last.kind === piece.kind)
      merged[merged.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else merged.push(piece);
  }
  return merged.map(toPart);
}

function usage(): Part {
  const { input, output } = USAGE;
  return {
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  };
}
