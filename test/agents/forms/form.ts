import type { ModelRequest, Piece } from '../player';
import type { OfferedTool } from '../toolForms';

/** A way to talk to a model over HTTP. One file per form; the server asks each in turn whether a request is its own. */
export interface WireForm {
  readonly name: string;
  /** What this form answers at that address, or undefined if the address is not its own. `path` is without query. */
  readonly route: (method: string, path: string) => Route | undefined;
}

export type Route =
  /** Answered at once with this body (model lists, token counts). */
  | { readonly kind: 'fixed'; readonly body: unknown }
  /** Answered by the script. `read` throws BadRequest. */
  | {
      readonly kind: 'model';
      readonly read: (body: unknown) => ModelRequest;
      readonly encode: (request: ModelRequest) => Encoder;
    };

/** Puts the pieces of one answer on the wire: streamed as text of server-sent events, or whole as one JSON body. */
export interface Encoder {
  readonly begin: () => string;
  readonly piece: (piece: AnswerPiece) => string;
  readonly end: () => string;
  readonly whole: (pieces: readonly AnswerPiece[]) => unknown;
  readonly error: (status: number, message: string) => unknown;
}

/** The pieces that have content; the others steer the server. */
export type AnswerPiece = Extract<Piece, { kind: 'text' | 'thought' | 'tool' }>;

/** The request does not fit the form. Answered with HTTP 400 and this message. */
export class BadRequest extends Error {}

/** The models the server says it has. The small one is for calls on the side. */
export const MODELS = { main: 'scripted', second: 'scripted-2', small: 'scripted-small' } as const;

/** Token counts of every answer: fixed, so that a client's display of them can be asserted. */
export const USAGE = { input: 1200, output: 34 } as const;

/** One server-sent event. */
export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** The same with its type named before, as Anthropic and OpenAI's responses do. */
export function namedEvent(type: string, data: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\n${event({ type, ...data })}`;
}

export type ToolPiece = Extract<AnswerPiece, { kind: 'tool' }>;

export function isTool(piece: AnswerPiece): piece is ToolPiece {
  return piece.kind === 'tool';
}

/** All text, or all thoughts, of an answer that is sent whole. */
export function joined(pieces: readonly AnswerPiece[], kind: 'text' | 'thought'): string {
  return pieces.map((piece) => (piece.kind !== 'tool' && piece.kind === kind ? piece.text : '')).join('');
}

/** A tool as offered: its name, and the parameters of its JSON schema if that lists any. */
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
