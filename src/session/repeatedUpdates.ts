import type { Clock } from '../base/clock';
import type { JsonObject } from '../base/json';
import { asObject, asString } from '../base/json';
import type { Block } from '../shared/state/contentBlocks';
import { entryAt } from '../shared/state/entryPages';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';
import type { ReplayMatcher } from './replayMatcher';

/** Milliseconds without a message until a replay counts as finished. */
const QUIET_MS = 200;
/** Milliseconds until a replay is no longer waited for. */
const REPLAY_TIMEOUT_MS = 10_000;

/** Updates about the state of the session rather than its history: they pass during a replay. */
const STATE_UPDATES: ReadonlySet<unknown> = new Set([
  'background_tasks_update',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]);

/** What to do with the history that an agent replays. */
type ReplayOptions =
  /** The transcript is empty, and the replay becomes the transcript. */
  | { readonly keeps: 'all' }
  /** The transcript is a copy of the history, and may be shorter on purpose (a fork). */
  | { readonly keeps: 'nothing' }
  /** Only what the agent knows beyond the transcript. */
  | {
      readonly keeps: 'new';
      readonly session: { readonly state: SessionState };
      readonly matcher: ReplayMatcher;
      /** Called before the first part that the transcript does not have. */
      onBeyond?(): void;
    };

/**
 * Filters the history replay of `session/load`, and of agents that replay on `session/resume`, where we have the transcript: it holds more
 * (diffs, output, answers, times). The replay may continue after the response (Gemini does this), and nothing marks its end, so it ends
 * after a short silence.
 */
export class ReplayFilter {
  readonly #keeps: ReplayOptions['keeps'];
  readonly #session: { readonly state: SessionState } | undefined;
  readonly #matcher: ReplayMatcher | undefined;
  readonly #onBeyond: (() => void) | undefined;
  #last: number;
  #hasEnded = false;
  #hasAdded = false;
  /** The agent works on the next message, although its replay may still come. */
  #isSettled = false;
  /** The agent worked on a message when its last update came. */
  #isLive = false;

  constructor(
    options: ReplayOptions,
    private readonly clock: Clock,
  ) {
    this.#keeps = options.keeps;
    this.#session = options.keeps === 'new' ? options.session : undefined;
    this.#matcher = options.keeps === 'new' ? options.matcher : undefined;
    this.#onBeyond = options.keeps === 'new' ? () => options.onBeyond?.() : undefined;
    this.#last = clock.elapsed();
  }

  /**
   * @param isChild the update is about a child session
   * @returns the part of an update that the transcript does not have
   */
  newPart(update: JsonObject, isChild = false): JsonObject | undefined {
    const livePrompt = this.#livePrompt;
    // A turn has ended since the answer: nothing is replayed any more.
    if (this.#isLive && livePrompt === undefined) this.#hasEnded = true;
    this.#isLive = livePrompt !== undefined;
    if (this.#hasEnded || STATE_UPDATES.has(update['sessionUpdate'])) return update;
    this.#last = this.clock.elapsed();
    if (this.#keeps === 'all') return update;
    if (isChild) return this.#matcher?.isReplaying === false ? update : undefined;
    const part = this.#matcher?.newPart(update, livePrompt);
    // The answer to the next message needs no explanation.
    if (part && !this.#hasAdded && !this.#isLive && this.#matcher?.isBeyond === true) {
      this.#hasAdded = true;
      this.#onBeyond?.();
    }
    return part;
  }

  /** Whether the transcript got something that it did not have. */
  get hasAdded(): boolean {
    return this.#hasAdded;
  }

  get #livePrompt(): string | undefined {
    const state = this.#session?.state;
    if (!this.#isSettled || state?.turn.status !== 'running') return undefined;
    const prompt = entryAt(state.entries, state.turn.firstEntry);
    return prompt?.kind === 'user' ? (prompt.expansion?.text ?? prompt.text) : '';
  }

  /**
   * Resolves at the end of the replay; from then on every update is accepted. Call it after the response. A resume that has replayed
   * nothing yet may still do so, until the end of the next turn.
   */
  waitUntilSettled(): Promise<void> {
    const end = this.clock.elapsed() + REPLAY_TIMEOUT_MS;
    this.#last = this.clock.elapsed();
    return new Promise((resolve) => {
      const check = (): void => {
        const now = this.clock.elapsed();
        const left = Math.min(this.#last + QUIET_MS, end) - now;
        if (left > 0) {
          this.clock.after(left, check);
          return;
        }
        this.#hasEnded = this.#matcher?.isReplaying !== false;
        this.#isSettled = true;
        resolve();
      };
      check();
    });
  }
}

/** The part of a user message that has not been echoed yet. */
interface Expected {
  rest: string;
  readonly blocks: readonly string[];
}

/**
 * Some agents send the running or steered message back as `user_message_chunk`s, whole or in chunks. The transcript already has it, so the
 * echo is dropped; any other user message is shown.
 */
export class PromptEchoFilter {
  /** Undefined between turns. */
  #prompt: Expected | undefined;
  /** Messages sent during a turn; some agents start a separate turn for each. */
  readonly #steered = new Set<Expected>();

  apply(action: Action): void {
    if (action.type === 'promptSent') {
      this.#steered.clear();
      this.#prompt = { rest: action.expansion?.text ?? action.text, blocks: action.blocks.map(blockKey) };
    } else if (action.type === 'turnEnded') {
      this.#prompt = undefined;
    }
  }

  /**
   * A message is sent while a turn runs.
   * @returns call it when the agent refused the message
   */
  expect(text: string, blocks: readonly Block[] = []): () => void {
    const expected = { rest: text, blocks: blocks.map(blockKey) };
    this.#steered.add(expected);
    return () => this.#steered.delete(expected);
  }

  /** True when this update only repeats what the user sent. */
  isRepeated(update: JsonObject): boolean {
    if (update['sessionUpdate'] !== 'user_message_chunk') return false;
    const content = asObject(update['content']);
    const expected = this.#prompt ? [this.#prompt, ...this.#steered] : [...this.#steered];
    if (content?.['type'] !== 'text')
      return content !== undefined && expected.some(({ blocks }) => blocks.includes(wireKey(content)));
    const text = asString(content['text']) ?? '';
    return expected.some((one) => consume(one, text));
  }
}

function consume(expected: Expected, text: string): boolean {
  // Agents change white space around a prompt.
  const { rest } = expected;
  const [chunk, remaining] = rest.startsWith(text) ? [text, rest] : [text.trim(), rest.trimStart()];
  if (!remaining.startsWith(chunk)) return false;
  expected.rest = remaining.slice(chunk.length);
  return true;
}

/** Identifies a block, in our form and on the wire. */
function blockKey(block: { readonly type: string; readonly uri?: string; readonly data?: string }): string {
  return block.uri ?? block.data ?? '';
}

function wireKey(content: JsonObject): string {
  const uri = asString(content['uri']) ?? asString(asObject(content['resource'])?.['uri']);
  return uri ?? asString(content['data']) ?? '\0';
}
