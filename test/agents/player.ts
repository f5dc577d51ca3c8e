import { assertNever } from '../../src/base/assert';
import type { ModelTurn, Step } from './script';
import { DIRECTIVES, ScriptError, isEmptyScript, parseScript } from './script';
import type { OfferedTool, ToolCall } from './toolForms';
import { toolCallFor } from './toolForms';

/** What the player needs to know of a request, whichever wire form it came in. */
export interface ModelRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Text of the last user message: the script. */
  readonly prompt: string;
  /** How many user messages there are: keeps the ids of tool calls apart between prompts. */
  readonly prompts: number;
  /** How many model turns with tool calls the history has since that message: where the script stands. */
  readonly turnsPlayed: number;
  /** The last tool result since that message. */
  readonly toolResult: string | undefined;
  readonly tools: readonly OfferedTool[];
  /** Set when this is no turn of the conversation but a call on the side (title, summary, router). */
  readonly auxiliary: { readonly schema?: unknown } | undefined;
}

/** One piece of an answer, ready to be put on the wire. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly call: ToolCall }
  | { readonly kind: 'pause'; readonly name: string }
  | { readonly kind: 'fail'; readonly status: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hang' };

const RESULT_LENGTH = 200;
const CHUNK_LENGTH = 12;

/**
 * The answer to one request. The position in the script is read off the request's own history, so the player keeps no
 * state: retries, parallel sessions and reloaded sessions all work. A script that cannot be played is answered with a
 * text that begins with FINAL failed.
 */
export function play(request: ModelRequest): readonly Piece[] {
  try {
    const turns = parseScript(request.prompt);
    if (isEmptyScript(turns)) throw new ScriptError(`no directive in the prompt; there are ${DIRECTIVES.join(', ')}`);
    const turn = turns[request.turnsPlayed] ?? [];
    const pieces = turn.flatMap((step, index) => toPieces(step, request, index));
    return request.turnsPlayed >= turns.length - 1 ? [...pieces, ...ending(turn, request)] : pieces;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return chunks(`FINAL failed: ${error.message}`);
  }
}

/** The text of the chunk number `index` (from 0) of `say-many`, for tests that look for what was lost. */
export function manyChunk(index: number, size: number): string {
  return `[${index}]`.padEnd(size - 1, '.') + ' ';
}

function ending(turn: ModelTurn, request: ModelRequest): readonly Piece[] {
  const result = request.toolResult?.slice(0, RESULT_LENGTH) ?? 'no tool was called';
  const lead = turn.some((step) => step.kind === 'say' || step.kind === 'sayMany') ? '\n\n' : '';
  return chunks(`${lead}FINAL ok: ${result}`);
}

function toPieces(step: Step, request: ModelRequest, index: number): readonly Piece[] {
  switch (step.kind) {
    case 'say':
      return chunks(step.text);
    case 'sayMany':
      return Array.from({ length: step.count }, (_, i) => ({ kind: 'text', text: manyChunk(i, step.size) }));
    case 'think':
      return cut(step.text).map((text) => ({ kind: 'thought', text }));
    case 'tool': {
      const id = `call_${request.prompts}_${request.turnsPlayed + 1}_${index}`;
      return [{ kind: 'tool', id, call: toolCallFor(step.wish, request.tools) }];
    }
    case 'pause':
    case 'fail':
    case 'drop':
    case 'hang':
      return [step];
    default:
      return assertNever(step);
  }
}

function chunks(text: string): readonly Piece[] {
  return cut(text).map((piece) => ({ kind: 'text', text: piece }));
}

/** Cuts at blanks, as a model's tokens arrive: a client must put the pieces together again. */
function cut(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const word of text.match(/\S*\s*/g) ?? []) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length < CHUNK_LENGTH) pieces[pieces.length - 1] = last + word;
    else if (word !== '') pieces.push(word);
  }
  return pieces;
}
