import type { ModelRequest, Piece } from '../player';
import type { OfferedTool } from '../toolForms';

/** A model API over HTTP. One file per format; the server tries each in turn. */
export interface WireForm {
  readonly name: string;
  /** Returns the handler for that path, or undefined if the path belongs to another format. `path` has no query. */
  readonly route: (method: string, path: string) => Route | undefined;
}

export type Route =
  /** Responds immediately with this body (model lists, token counts). */
  | { readonly kind: 'fixed'; readonly body: unknown }
  /**
   * Responds according to the script.
   * @throws BadRequest
   */
  | {
      readonly kind: 'model';
      readonly read: (body: unknown) => ModelRequest;
      readonly encode: (request: ModelRequest) => Encoder;
    };

/** Writes the chunks of one answer: as server-sent events or as one JSON body. */
export interface Encoder {
  readonly begin: () => string;
  readonly piece: (piece: AnswerPiece) => string;
  readonly end: () => string;
  readonly whole: (pieces: readonly AnswerPiece[]) => unknown;
  readonly error: (status: number, message: string) => unknown;
}

/** Chunks that have content; the other chunks control the server. */
export type AnswerPiece = Extract<Piece, { kind: 'text' | 'thought' | 'tool' }>;

/** The request is invalid for the format. The response is HTTP 400 with this message. */
export class BadRequest extends Error {}

/** Advertised models. The small one is for auxiliary requests. */
export const MODELS = { main: 'scripted', second: 'scripted-2', small: 'scripted-small' } as const;

/** Token counts of every answer: constant, so that tests can assert how clients display them. */
export const USAGE = { input: 1200, output: 34 } as const;

/** One server-sent event. */
export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** One server-sent event preceded by its type, as in Anthropic's and OpenAI's responses APIs. */
export function namedEvent(type: string, data: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\n${event({ type, ...data })}`;
}

export type ToolPiece = Extract<AnswerPiece, { kind: 'tool' }>;

export function isTool(piece: AnswerPiece): piece is ToolPiece {
  return piece.kind === 'tool';
}

/** Concatenates all text, or all thoughts, of an answer that is not streamed. */
export function joined(pieces: readonly AnswerPiece[], kind: 'text' | 'thought'): string {
  return pieces.map((piece) => (piece.kind !== 'tool' && piece.kind === kind ? piece.text : '')).join('');
}

/** A tool available to the model: its name, and its parameters if its JSON schema lists any. */
export function offeredTool(tool: Readonly<Record<string, unknown>>, schema: unknown, what: string): OfferedTool {
  const properties = schema === undefined ? undefined : record(schema, `the schema of ${what}`)['properties'];
  return {
    name: text(tool['name'], `${what}.name`),
    parameters: properties === undefined ? undefined : Object.keys(record(properties, `the properties of ${what}`)),
  };
}

export function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadRequest(`${what} must be an object`);
  return value as Record<string, unknown>;
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new BadRequest(`${what} must be an array`);
  return value as unknown[];
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new BadRequest(`${what} must be a string`);
  return value;
}
