import { assertNever } from '../../src/base/assert';
import type { ModelTurn, Step } from './script';
import { DIRECTIVES, ScriptError, isEmptyScript, parseScript } from './script';
import type { OfferedTool, ToolCall } from './toolForms';
import { toolCallFor } from './toolForms';

/** What the player needs from a request, independent of the wire format. */
export interface ModelRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Text of the last user message: the script. */
  readonly prompt: string;
  /** Number of user messages: keeps tool call ids of different prompts distinct. */
  readonly prompts: number;
  /** Number of model turns with tool calls since that message: the position in the script. */
  readonly turnsPlayed: number;
  /** The last tool result since that message. */
  readonly toolResult: string | undefined;
  readonly tools: readonly OfferedTool[];
  /** Set for auxiliary requests (title, summary, router), which are not turns of the conversation. */
  readonly auxiliary: { readonly schema?: unknown } | undefined;
}

/** One chunk of an answer, ready to be sent. */
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
 * Returns the answer to one request. The script position is derived from the request's history, so the player has no state:
 * retries, parallel sessions and reloaded sessions work. For an invalid script the answer is a text that begins with FINAL
 * failed.
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

/** Text of chunk number `index` (from 0) of `say-many`, for tests that check for lost chunks. */
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

/** Splits at blanks, as model tokens arrive: a client must join the chunks. */
function cut(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const word of text.match(/\S*\s*/g) ?? []) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length < CHUNK_LENGTH) pieces[pieces.length - 1] = last + word;
    else if (word !== '') pieces.push(word);
  }
  return pieces;
}
